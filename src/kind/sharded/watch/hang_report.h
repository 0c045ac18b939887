// SPDX-License-Identifier: MIT
// What the ranks' watches left behind, read when all processes have ended: the hang that one of them told, or the death
// that ended the others.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kind/sharded/analysis/sharded_hang.h"

namespace aaco {

// How the ranks ended.
struct RanksEnd {
  Error cause;                       // of the first that failed
  std::optional<int64_t> dead_rank;  // where a signal ended that one
};

// None where no rank died, and none found that another holds it up, or only that one had ended with an error.
// `ahead_ns`: by rank, how far the clock of its machine is ahead of rank 0's, of which the report's times are; empty:
// all are of one machine.
std::optional<ShardedHang> hang_report(const std::filesystem::path& folder, int64_t ranks, double limit_s,
                                       const RanksEnd& end, const std::vector<int64_t>& ahead_ns = {});

// Lines that a rank left, as a person reads them: with function, file and line where llvm-symbolizer or addr2line is
// there and the program has them.
std::vector<std::vector<std::string>> readable_stacks(const std::vector<std::string>& stacks);

}  // namespace aaco
