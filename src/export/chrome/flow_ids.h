// SPDX-License-Identifier: MIT
// Ids of arrows hold within a recording; in one file no two recordings may share any.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <utility>

namespace aaco::chrome {

class FlowIds {
 public:
  using Scope = std::pair<uint32_t, int64_t>;  // recording; and rank, of arrows that were made from correlation ids

  void see(Scope scope, int64_t id) {
    Range& range = ranges_.try_emplace(scope, Range{id, id, 0}).first->second;
    range.least = id < range.least ? id : range.least;
    range.most = id > range.most ? id : range.most;
  }

  // Of all that were seen; the first scope keeps its own.
  void finish() {
    int64_t used = std::numeric_limits<int64_t>::min();
    for (auto& [scope, range] : ranges_) {
      int64_t shift = 0;
      int64_t most = 0;
      const bool fits = range.least > used || (!__builtin_sub_overflow(used, range.least, &shift) &&
                                               !__builtin_add_overflow(shift, 1, &shift) &&
                                               !__builtin_add_overflow(range.most, shift, &most));
      range.shift = range.least > used || !fits ? 0 : shift;
      used = range.most + range.shift > used ? range.most + range.shift : used;
    }
  }

  int64_t number(Scope scope, int64_t id) const { return id + ranges_.at(scope).shift; }

 private:
  struct Range {
    int64_t least = 0;
    int64_t most = 0;
    int64_t shift = 0;
  };
  std::map<Scope, Range> ranges_;
};

}  // namespace aaco::chrome
