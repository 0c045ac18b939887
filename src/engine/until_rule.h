// SPDX-License-Identifier: MIT
// When to start no further process (record/until.h): looked at after each process.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "record/until.h"

namespace aaco {

inline constexpr int64_t kMostUntilProcesses = 200;  // whatever time is left

class UntilRule {
 public:
  // `fewest`: processes before the interval is looked at: one of few is too often narrow by chance
  // (bench/until_coverage.py).
  UntilRule(UntilRequest request, int64_t fewest) : request_(request), fewest_(fewest) {}

  // A process ended, `elapsed_s` after the first was started. `figure` is its own, positive; none where it has none.
  void add(std::optional<double> figure, double elapsed_s);
  // The target is reached, or another process as long as the longest would end too late.
  bool is_over() const;
  int64_t processes() const { return processes_; }
  // 0 to 1, as far as processes so far let it be told.
  double progress() const;
  UntilFacts facts() const;

 private:
  std::optional<double> reach() const;

  UntilRequest request_;
  int64_t fewest_;
  int64_t processes_ = 0;
  double elapsed_s_ = 0;
  double longest_s_ = 0;
  std::vector<double> figures_;
};

}  // namespace aaco
