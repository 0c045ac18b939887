// SPDX-License-Identifier: MIT
// The id by which the processes of one communicator find each other, handed over in a file of the run's working folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "base/result.h"
#include "device/communicator.h"

namespace aaco {

// Which communicator: its number in the program, and, as several of one number may join other ranks, its first rank.
struct CommunicatorPlace {
  int32_t number = 0;
  int32_t first_rank = 0;
};

// Where it lies.
std::filesystem::path rank_id_path(const std::filesystem::path& folder, CommunicatorPlace communicator = {});
// What an earlier start of ranks left there is to be removed before the next.
void remove_rank_ids(const std::filesystem::path& folder);

// The communicator's first rank makes it and leaves it there; the others wait for it, a minute at most. Errors: those
// of `make`; kResource where none comes; kInterrupted.
Result<RankId> share_rank_id(const std::filesystem::path& folder, int64_t rank,
                             const std::function<Result<RankId>()>& make, CommunicatorPlace communicator = {});

}  // namespace aaco
