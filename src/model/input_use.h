// SPDX-License-Identifier: MIT
// What a model does with the values of an input: rows that they index, lengths that they are, sizes that they decide.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace aaco {

struct ValueRange {
  int64_t low = 0;
  int64_t high = 0;  // inclusive
};

struct InputUse {
  // Values that index something of known size, in all places; none where none does, or no value fits.
  std::optional<ValueRange> range;
  std::vector<ValueRange> columns;  // by the place on the last axis, where those differ (GatherND); else empty
  std::string range_why;            // "they index the 2900 rows of table"
  // The value that means "all of it", of a number of valid steps or the place of the last one.
  std::optional<int64_t> length;
  std::string length_why;
  // What the values decide that only a user can know, "how often Loop 'l' runs"; empty: nothing.
  std::string decides;
  bool decides_reduced = false;        // only through the largest, smallest or sum of them
  std::map<int64_t, int64_t> example;  // by element: values that such a use takes
  // A choice of which 0 is always one ("the axis of CumSum").
  std::string choice;
};

using InputUses = std::map<std::string, InputUse>;  // by the input's name

}  // namespace aaco
