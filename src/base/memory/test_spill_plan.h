// SPDX-License-Identifier: MIT
// A spill plan for the time of a test.
#pragma once

#include <utility>

#include "base/memory/spill_file.h"

namespace aaco {

class ScopedSpillPlan {
 public:
  explicit ScopedSpillPlan(SpillPlan plan) : before_(spill_plan()) { set_spill_plan(std::move(plan)); }
  ScopedSpillPlan(const ScopedSpillPlan&) = delete;
  ScopedSpillPlan& operator=(const ScopedSpillPlan&) = delete;
  ~ScopedSpillPlan() { set_spill_plan(std::move(before_)); }

 private:
  SpillPlan before_;
};

}  // namespace aaco
