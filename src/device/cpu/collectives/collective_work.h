// SPDX-License-Identifier: MIT
// What one rank does of a collective, when all ranks' buffers can be reached and all ranks do their part at the same
// time. No rank reads what another one writes, as long as buffers overlap only as NCCL's in-place forms do.
#pragma once

#include <cstdint>
#include <span>

#include "device/communicator.h"

namespace aaco {

// Sums: fp32 in fp32 in the order of ranks, fp16 and bf16 likewise and rounded once, int32 in integers. An element is
// summed once, so that all ranks get the same bits. kBroadcast is from rank 0.
void run_rank_of_collective(Collective collective, std::span<const CollectivePart> parts, size_t rank, int64_t count,
                            Dtype dtype);

// Whether it sums, which kU8 cannot.
bool sums(Collective collective);

}  // namespace aaco
