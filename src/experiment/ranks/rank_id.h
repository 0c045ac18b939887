// SPDX-License-Identifier: MIT
// The id by which the processes of one communicator find each other, handed over in a file of the run's working folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/result.h"
#include "device/communicator.h"

namespace aaco {

// Where it lies; what an earlier start of ranks left there is to be removed before the next.
std::filesystem::path rank_id_path(const std::filesystem::path& folder);

// Rank 0 makes it and leaves it there; the others wait for it, a minute at most. Errors: those of `make`; kResource
// where none comes; kInterrupted.
Result<RankId> share_rank_id(const std::filesystem::path& folder, int64_t rank,
                             const std::function<Result<RankId>()>& make);

}  // namespace aaco
