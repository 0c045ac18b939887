// SPDX-License-Identifier: MIT
// What a collective moves. Bandwidths are those of nccl-tests (doc/PERFORMANCE.md): algorithm bandwidth is size over
// time, bus bandwidth that times a factor which makes it comparable to the links' whatever the number of ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace aaco {

enum class CollectiveType : uint8_t { kAllReduce, kAllGather, kReduceScatter, kAllToAll, kBroadcast, kReduce, kOther };

// By PyTorch's names ("_allgather_base", "allreduce_coalesced", "all_to_allv") and alike.
CollectiveType collective_type(std::string_view name);

// Of n ranks; none of a type that nccl-tests gives none, or of no ranks.
std::optional<double> bus_factor(CollectiveType type, int64_t ranks);

// nccl-tests' size: the whole array that is gathered, scattered or reduced, from the elements that a rank puts in and
// takes out. None of an unknown type of element.
std::optional<int64_t> collective_bytes(CollectiveType type, int64_t in_elements, int64_t out_elements,
                                        std::string_view element);

}  // namespace aaco
