// SPDX-License-Identifier: MIT
// Which rank of a job a process is, by the variables of its launcher (torchrun, mpirun, srun, ...).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/json_fwd.h"

namespace aaco {

struct ProcessRank {
  std::optional<int64_t> rank;
  std::optional<int64_t> local_rank;
  std::optional<int64_t> world_size;
  std::string variable;  // that the rank is from: "RANK"
  std::string conflict;  // other launchers' variables with another rank: "SLURM_PROCID is 0"
};
void to_json(Json& json, const ProcessRank& rank);
void from_json(const Json& json, ProcessRank& rank);

// `environment`: as /proc/PID/environ has it. Of several launchers the one nearest to the program wins.
ProcessRank rank_in(std::string_view environment);
// By what a process was started with: what it set itself later is not seen.
ProcessRank rank_of_process(int64_t pid);

}  // namespace aaco
