// SPDX-License-Identifier: MIT
// Slices that do not overlap, in the order of time, with a tree over them: of each 64 slices, each 64 times 64 and so
// on the first start, the last end and the longest. What a pixel shows takes a few look-ups, however much lies below
// it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "serve/timeline/slice_block.h"

namespace aaco::serve {

inline constexpr size_t kFanOut = kBlockSlices;

struct LaneNode {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t longest_ns = 0;
  uint32_t longest_at = 0;  // index in the lane
  uint32_t place = 0;       // of a block: where its bytes are in the lane's
};

// A lane's bytes: the nodes of each level, the blocks' first, then the blocks. Errors: kUnavailable for more than 4
// GiB.
class LaneWriter {
 public:
  void add(const LaneSlice& slice);
  size_t size() const { return count_; }
  Result<std::string> finish();

 private:
  void end_block();

  std::vector<LaneSlice> open_;
  std::vector<LaneNode> nodes_;
  std::string blocks_;
  size_t count_ = 0;
};

// Over bytes that LaneWriter made, which have to outlive it and be aligned to 8.
class SliceLane {
 public:
  SliceLane() = default;
  // Errors: kUsage where the bytes are none of a lane of so many slices.
  static Result<SliceLane> open(std::span<const char> bytes, size_t count);

  size_t size() const { return count_; }
  size_t blocks() const { return levels_.empty() ? 0 : levels_.front().size(); }
  SliceBlock block(size_t index) const {
    const size_t place = std::min<size_t>(levels_[0][index].place, blocks_.size());
    return {blocks_.subspan(place), std::min(kBlockSlices, count_ - index * kBlockSlices)};
  }
  // Asks memory for a block before it is needed.
  void prefetch(size_t index) const {
    __builtin_prefetch(blocks_.data() + std::min<size_t>(levels_[0][index].place, blocks_.size()));
  }
  const LaneNode& node(size_t block) const { return levels_[0][block]; }
  LaneSlice operator[](size_t index) const;

  struct Extreme {
    int64_t longest_ns = -1;
    size_t at = 0;
  };
  // The longest of the slices [first, end), the first of equal ones. `block_at`: as block(), from what the caller
  // keeps.
  template <class BlockAt>
  Extreme longest(size_t first, size_t end, const BlockAt& block_at) const {
    Extreme extreme;
    const auto look = [&](size_t from, size_t to) {  // within one block
      if (from < to) {
        const SliceBlock& slices = block_at(from / kBlockSlices);
        const size_t start = from / kBlockSlices * kBlockSlices;
        const size_t at = slices.longest(from - start, to - start);
        take(extreme, slices.duration_ns(at), start + at);
      }
    };
    const size_t inner_first = (first + kBlockSlices - 1) / kBlockSlices;
    const size_t inner_end = end / kBlockSlices;
    if (inner_first > inner_end) {
      look(first, end);
      return extreme;
    }
    look(first, inner_first * kBlockSlices);
    if (inner_first < inner_end) {
      const Extreme inner = longest_of_blocks(inner_first, inner_end);
      take(extreme, inner.longest_ns, inner.at);
    }
    look(inner_end * kBlockSlices, end);
    return extreme;
  }
  // The same of whole blocks.
  Extreme longest_of_blocks(size_t first, size_t end) const;
  // The first slice from `from` on that ends after, or starts at or after, a time; size() where there is none.
  size_t first_ending_after(int64_t time_ns) const;
  size_t first_starting_from(int64_t time_ns, size_t from = 0) const;
  // The first block from `from` on that starts at or after a time, which is looked for `step` blocks ahead first.
  size_t first_block_from(int64_t time_ns, size_t from, size_t step = 1) const;

 private:
  static void take(Extreme& extreme, int64_t longest_ns, size_t at) {
    if (longest_ns > extreme.longest_ns) {
      extreme = {longest_ns, at};
    }
  }

  std::vector<std::span<const LaneNode>> levels_;  // the blocks' first
  std::span<const char> blocks_;
  size_t count_ = 0;
};

}  // namespace aaco::serve
