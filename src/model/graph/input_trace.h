// SPDX-License-Identifier: MIT
// Which input of the model the values of a tensor come from, and by what arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace aaco {

// An element x of the input is here floor((factor * x + offset) / divisor), where the offset is known to lie between
// two numbers (a table of offsets is added to indices of several tables).
struct InputTrace {
  std::string input;
  int64_t factor = 1;
  int64_t low_offset = 0;
  int64_t high_offset = 0;
  int64_t divisor = 1;
  bool exact = true;               // false: other arithmetic was done, and nothing above holds
  bool reduced = false;            // the largest, smallest or sum of the input's elements
  bool last_axis = true;           // the last axis is still that of the input
  std::optional<int64_t> highest;  // of x, where a remainder (Mod) bounds what is of use

  // Of a tensor of at most one axis: its elements from `at` on are the input's from `first` on, `count` of them (-1:
  // not known how many). No `first`: not known which.
  std::optional<int64_t> first;
  int64_t at = 0;
  int64_t count = -1;
};

using InputTraces = std::shared_ptr<const std::vector<InputTrace>>;  // null: none

}  // namespace aaco
