// SPDX-License-Identifier: MIT
// The course of a level that changes in steps, as the most that it was in each of at most a hundred parts of equal
// length.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace aaco {

struct MostInPart {
  int64_t start_ns = 0;  // to the next one's
  int64_t most = 0;
};

class MostOverTime {
 public:
  static constexpr int64_t kParts = 100;

  // Of the time from `start_ns` to `end_ns`, which belongs to it.
  MostOverTime(int64_t start_ns, int64_t end_ns) : start_ns_(start_ns), part_ns_((end_ns - start_ns) / kParts + 1) {}

  // A step, not before the last one, and within the time.
  void add(int64_t time_ns, int64_t before, int64_t after);
  std::vector<MostInPart> finish() { return std::move(parts_); }

 private:
  int64_t start_ns_;
  int64_t part_ns_;
  std::vector<MostInPart> parts_;
};

}  // namespace aaco
