// SPDX-License-Identifier: MIT
// Numbers in groups, one behind the other in one array: counted before they are stored, so that nothing grows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace aaco {

class RowGroups {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Of the numbers below `count`, ascending within each group; `group_of` gives a number below `groups`, or kNone.
  template <class GroupOf>
  RowGroups(size_t count, size_t groups, const GroupOf& group_of) : ends_(groups) {
    for (size_t i = 0; i < count; ++i) {
      if (const uint32_t group = group_of(i); group != kNone) {
        ++ends_[group];
      }
    }
    size_t total = 0;
    for (size_t& end : ends_) {  // until they are stored the start of each
      const size_t size = end;
      end = total;
      total += size;
    }
    rows_.resize(total);
    for (size_t i = 0; i < count; ++i) {
      if (const uint32_t group = group_of(i); group != kNone) {
        rows_[ends_[group]++] = static_cast<uint32_t>(i);
      }
    }
  }

  // Each group by itself.
  template <class Less>
  void sort(const Less& less) {
    for (size_t group = 0; group < ends_.size(); ++group) {
      const auto start = rows_.begin() + static_cast<std::ptrdiff_t>(start_of(group));
      const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(ends_[group]);
      if (!std::is_sorted(start, end, less)) {
        std::sort(start, end, less);
      }
    }
  }

  size_t groups() const { return ends_.size(); }
  std::span<const uint32_t> group(size_t group) const {
    return std::span(rows_).subspan(start_of(group), ends_[group] - start_of(group));
  }
  std::span<const uint32_t> all() const { return rows_; }

 private:
  size_t start_of(size_t group) const { return group == 0 ? 0 : ends_[group - 1]; }

  std::vector<size_t> ends_;
  std::vector<uint32_t> rows_;
};

}  // namespace aaco
