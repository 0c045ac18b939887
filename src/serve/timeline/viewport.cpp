// SPDX-License-Identifier: MIT
#include "serve/timeline/viewport.h"

#include <algorithm>
#include <array>
#include <utility>

namespace aaco::serve {

namespace {

// From so many slices a pixel on, two blocks, those at a pixel's edges are little beside those within.
constexpr size_t kExactSlices = 2 * kBlockSlices;

// Pixels of a window as times.
class PixelGrid {
 public:
  explicit PixelGrid(const ViewWindow& window)
      : from_ns_(window.from_ns),
        width_ns_(std::max(1.0, (static_cast<double>(window.to_ns) - static_cast<double>(window.from_ns)) /
                                    std::max<uint32_t>(window.pixels, 1))) {}
  double width_ns() const { return width_ns_; }
  double relative(int64_t time_ns) const { return static_cast<double>(time_ns - from_ns_); }
  // Where the pixel ends in which a time lies.
  int64_t end_of_pixel(int64_t time_ns) const {
    const double pixel = std::max(0.0, static_cast<double>(static_cast<int64_t>(relative(time_ns) / width_ns_)));
    return std::max(from_ns_ + static_cast<int64_t>((pixel + 1) * width_ns_), time_ns + 1);
  }

 private:
  int64_t from_ns_;
  double width_ns_;
};

// Boxes of one lane.
class LaneView {
 public:
  LaneView(const ViewWindow& window, const SliceLane& lane, uint32_t track, uint16_t number, ViewBoxes& boxes)
      : window_(window), pixels_(window), lane_(lane), track_(track), number_(number), boxes_(boxes) {}

  void add() {
    const size_t first = lane_.first_ending_after(window_.from_ns);
    const size_t end = lane_.first_starting_from(window_.to_ns, first);
    const bool crowded = (end - first) / kExactSlices > window_.pixels;
    if (crowded) {
      add_blocks(first, end);
    } else {
      add_slices(first, end);
    }
  }

 private:
  // The last few are kept: neighbours mostly lie in one block, and what a pixel shows in two.
  const SliceBlock& block(size_t index) {
    KeptBlock& kept = kept_[index % kept_.size()];
    if (kept.index != index) {
      kept = {index, lane_.block(index)};
    }
    return kept.slices;
  }
  int64_t start_of(size_t index) { return block(index / kBlockSlices).start_ns(index % kBlockSlices); }
  int64_t duration_of(size_t index) { return block(index / kBlockSlices).duration_ns(index % kBlockSlices); }
  // The first slice from `from` on that starts at or after a time.
  size_t first_from(int64_t time_ns, size_t from) {
    const size_t own = from / kBlockSlices;
    if (own + 1 >= lane_.blocks() || lane_.node(own + 1).start_ns >= time_ns) {
      return std::max(from, own * kBlockSlices + block(own).first_starting_from(time_ns));
    }
    const size_t last = lane_.first_block_from(time_ns, own + 2) - 1;
    return last * kBlockSlices + block(last).first_starting_from(time_ns);
  }
  SliceLane::Extreme longest(size_t first, size_t end) {
    return lane_.longest(first, end, [this](size_t index) -> const SliceBlock& { return block(index); });
  }

  // A box of `count` slices, of which the one at `longest_at` is the longest.
  ViewBox& add_box(int64_t start_ns, int64_t end_ns, size_t count, int64_t longest_ns) {
    ViewBox& box = boxes_.emplace_back();
    box.track = track_;
    box.lane = number_;
    box.count = static_cast<uint32_t>(std::min<size_t>(count, UINT32_MAX));
    box.start_ns = pixels_.relative(start_ns);
    box.duration_ns = static_cast<double>(end_ns - start_ns);
    box.longest_ns = static_cast<double>(longest_ns);
    return box;
  }
  void name_box(ViewBox& box, const SliceBlock& slices, size_t longest_at) {
    box.event = slices.row(longest_at % kBlockSlices);
    box.label = slices.label(longest_at % kBlockSlices);
  }
  void add_box(int64_t start_ns, int64_t end_ns, size_t count, const SliceLane::Extreme& longest) {
    name_box(add_box(start_ns, end_ns, count, longest.longest_ns), block(longest.at / kBlockSlices), longest.at);
  }
  void add_slice(size_t index) {
    const int64_t start_ns = start_of(index);
    const int64_t duration_ns = duration_of(index);
    add_box(start_ns, start_ns + duration_ns, 1, SliceLane::Extreme{duration_ns, index});
  }
  // Of slices that begin in one pixel: what reaches beyond it is the last, and wide enough to be drawn itself.
  void add_pixel(int64_t first_start_ns, size_t first, size_t end) {
    const bool is_wide = static_cast<double>(duration_of(end - 1)) >= pixels_.width_ns();
    const size_t joined_end = is_wide ? end - 1 : end;
    if (joined_end == first + 1) {
      add_slice(first);
    } else if (joined_end > first) {
      const int64_t end_ns = start_of(joined_end - 1) + duration_of(joined_end - 1);
      add_box(first_start_ns, end_ns, joined_end - first, longest(first, joined_end));
    }
    if (is_wide) {
      add_slice(end - 1);
    }
  }
  void add_slices(size_t first, size_t end) {
    while (first < end) {
      const int64_t start_ns = start_of(first);
      const int64_t edge_ns = pixels_.end_of_pixel(std::max(start_ns, window_.from_ns));
      const size_t next = first + 1 < end ? std::clamp(first_from(edge_ns, first + 1), first + 1, end) : end;
      add_pixel(start_ns, first, next);
      first = next;
    }
  }
  // Whole blocks, two at least to a pixel on the average; where they are few, slice by slice.
  void add_blocks(size_t first, size_t end) {
    const size_t first_block = (first + kBlockSlices - 1) / kBlockSlices;
    const size_t end_block = end / kBlockSlices;
    add_slices(first, first_block * kBlockSlices);
    const size_t each = (end_block - first_block) / std::max<uint32_t>(window_.pixels, 1);
    size_t index = first_block;
    while (index < end_block) {
      const int64_t edge_ns = pixels_.end_of_pixel(std::max(lane_.node(index).start_ns, window_.from_ns));
      const size_t next = std::clamp(lane_.first_block_from(edge_ns, index + 1, each), index + 1, end_block);
      const LaneNode& last = lane_.node(next - 1);
      if (next == index + 1 && static_cast<double>(last.end_ns - last.start_ns) > pixels_.width_ns()) {
        add_slices(index * kBlockSlices, next * kBlockSlices);
      } else {
        const SliceLane::Extreme extreme = lane_.longest_of_blocks(index, next);
        if (static_cast<double>(extreme.longest_ns) >= pixels_.width_ns()) {
          add_slices(index * kBlockSlices, next * kBlockSlices);
        } else {
          unnamed_.emplace_back(boxes_.size(), extreme.at);
          add_box(lane_.node(index).start_ns, last.end_ns, (next - index) * kBlockSlices, extreme.longest_ns);
        }
      }
      index = next;
    }
    name_boxes();
    add_slices(std::max(first, end_block * kBlockSlices), end);
  }

  // Blocks lie far from each other, in memory that no cache holds: some are asked for before the first is needed.
  void name_boxes() {
    std::array<SliceBlock, 16> ahead;
    for (size_t first = 0; first < unnamed_.size(); first += ahead.size()) {
      const auto some = std::span(unnamed_).subspan(first, std::min(ahead.size(), unnamed_.size() - first));
      for (const auto& [box, at] : some) {
        lane_.prefetch(at / kBlockSlices);
      }
      for (size_t i = 0; i < some.size(); ++i) {
        ahead[i] = lane_.block(some[i].second / kBlockSlices);
        ahead[i].prefetch(some[i].second % kBlockSlices);
      }
      for (size_t i = 0; i < some.size(); ++i) {
        name_box(boxes_[some[i].first], ahead[i], some[i].second);
      }
    }
  }

  struct KeptBlock {
    size_t index = SIZE_MAX;
    SliceBlock slices;
  };

  const ViewWindow& window_;
  PixelGrid pixels_;
  const SliceLane& lane_;
  uint32_t track_;
  uint16_t number_;
  ViewBoxes& boxes_;
  std::array<KeptBlock, 4> kept_;
  std::vector<std::pair<size_t, size_t>> unnamed_;  // boxes, and where their longest slices are
};

void add_counter(const CounterSeries& series, uint32_t track, const ViewWindow& window, ViewBoxes& boxes) {
  const PixelGrid pixels(window);
  size_t first = series.first_from(window.from_ns);
  first -= first > 0 ? 1 : 0;  // its value holds until the next
  const size_t end = std::min(series.first_from(window.to_ns) + 1, series.size());
  const size_t each = (end - first) / std::max<uint32_t>(window.pixels, 1);
  const bool crowded = each >= 2 * CounterSeries::kBlockPoints;
  while (first < end) {
    const int64_t start_ns = series[first].time_ns;
    const int64_t edge_ns = pixels.end_of_pixel(std::max(start_ns, window.from_ns));
    size_t next = std::clamp(series.first_from(edge_ns, first, each), first + 1, end);
    if (crowded) {  // whole blocks, as of slices
      next = std::min(
          (next + CounterSeries::kBlockPoints - 1) / CounterSeries::kBlockPoints * CounterSeries::kBlockPoints, end);
    }
    const CounterRange range = series.range(first, next);
    const int64_t until_ns = next < series.size() ? series[next].time_ns : series[next - 1].time_ns;
    ViewBox& box = boxes.emplace_back();
    box.track = track;
    box.is_counter = true;
    box.count = static_cast<uint32_t>(next - first);
    box.start_ns = pixels.relative(start_ns);
    box.duration_ns = static_cast<double>(until_ns - start_ns);
    box.least = range.min;
    box.most = range.max;
    box.last = series[next - 1].value;
    first = next;
  }
}

}  // namespace

void add_view(const TimelineIndex& index, size_t track, const ViewWindow& window, ViewBoxes& boxes) {
  if (index.track(track).type == TrackType::kCounter) {
    add_counter(index.counter(track), static_cast<uint32_t>(track), window, boxes);
    return;
  }
  const std::span<const SliceLane> lanes = index.lanes(track);
  if (const size_t expected = boxes.size() + size_t{window.pixels} * lanes.size(); expected > boxes.capacity()) {
    boxes.reserve(std::max(expected, 2 * boxes.capacity()));
  }
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    LaneView(window, lanes[lane], static_cast<uint32_t>(track), static_cast<uint16_t>(lane), boxes).add();
  }
}

}  // namespace aaco::serve
