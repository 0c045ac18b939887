// SPDX-License-Identifier: MIT
#include "serve/timeline/viewport.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/utf8.h"
#include "serve/arrow/arrow_stream.h"

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

struct Box {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  size_t count = 0;
  LaneSlice longest;
};

// Boxes of one lane.
class LaneView {
 public:
  LaneView(const TimelineIndex& index, const ViewWindow& window, const SliceLane& lane, uint32_t track, uint16_t number,
           ViewBoxes& boxes)
      : index_(index), window_(window), pixels_(window), lane_(lane), track_(track), number_(number), boxes_(boxes) {}

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
  void add_box(const Box& box) {
    boxes_.track.push_back(track_);
    boxes_.lane.push_back(number_);
    boxes_.start_ns.push_back(pixels_.relative(box.start_ns));
    boxes_.duration_ns.push_back(static_cast<double>(box.end_ns - box.start_ns));
    boxes_.count.push_back(static_cast<uint32_t>(std::min<size_t>(box.count, UINT32_MAX)));
    boxes_.longest_ns.push_back(static_cast<double>(box.longest.duration_ns));
    boxes_.event.push_back(box.longest.row);
    boxes_.name.push_back(box.longest.label);
    boxes_.category.push_back(index_.category_of(box.longest.label));
    boxes_.least.push_back(0);
    boxes_.most.push_back(0);
    boxes_.last.push_back(0);
  }
  void add_slice(const LaneSlice& slice) { add_box({slice.start_ns, slice.start_ns + slice.duration_ns, 1, slice}); }
  // Of slices that begin in one pixel: what reaches beyond it is the last, and wide enough to be drawn itself.
  void add_pixel(size_t first, size_t end) {
    const LaneSlice last = lane_[end - 1];
    const bool is_wide = static_cast<double>(last.duration_ns) >= pixels_.width_ns();
    const size_t joined = is_wide ? end - 1 - first : end - first;
    if (joined == 1) {
      add_slice(lane_[first]);
    } else if (joined > 1) {
      const SliceLane::Extreme extreme = lane_.longest(first, first + joined);
      const LaneSlice closing = lane_[first + joined - 1];
      add_box({lane_[first].start_ns, closing.start_ns + closing.duration_ns, joined, lane_[extreme.at]});
    }
    if (is_wide) {
      add_slice(last);
    }
  }
  void add_slices(size_t first, size_t end) {
    while (first < end) {
      const int64_t edge_ns = pixels_.end_of_pixel(std::max(lane_[first].start_ns, window_.from_ns));
      const size_t next = std::clamp(lane_.first_starting_from(edge_ns, first + 1), first + 1, end);
      add_pixel(first, next);
      first = next;
    }
  }
  // Whole blocks, two at least to a pixel on the average; where they are few, slice by slice.
  void add_blocks(size_t first, size_t end) {
    const size_t first_block = (first + kBlockSlices - 1) / kBlockSlices;
    const size_t end_block = end / kBlockSlices;
    add_slices(first, first_block * kBlockSlices);
    size_t block = first_block;
    while (block < end_block) {
      const int64_t edge_ns = pixels_.end_of_pixel(std::max(lane_.node(block).start_ns, window_.from_ns));
      const size_t next = std::clamp(lane_.first_block_from(edge_ns, block + 1), block + 1, end_block);
      const LaneNode& last = lane_.node(next - 1);
      if (next == block + 1 && static_cast<double>(last.end_ns - last.start_ns) > pixels_.width_ns()) {
        add_slices(block * kBlockSlices, next * kBlockSlices);
      } else {
        const SliceLane::Extreme extreme = lane_.longest_of_blocks(block, next);
        if (static_cast<double>(extreme.longest_ns) >= pixels_.width_ns()) {
          add_slices(block * kBlockSlices, next * kBlockSlices);
        } else {
          add_box({lane_.node(block).start_ns, last.end_ns, (next - block) * kBlockSlices, lane_[extreme.at]});
        }
      }
      block = next;
    }
    add_slices(std::max(first, end_block * kBlockSlices), end);
  }

  const TimelineIndex& index_;
  const ViewWindow& window_;
  PixelGrid pixels_;
  const SliceLane& lane_;
  uint32_t track_;
  uint16_t number_;
  ViewBoxes& boxes_;
};

void add_counter(const CounterSeries& series, uint32_t track, const ViewWindow& window, ViewBoxes& boxes) {
  const PixelGrid pixels(window);
  size_t first = series.first_from(window.from_ns);
  first -= first > 0 ? 1 : 0;  // its value holds until the next
  const size_t end = std::min(series.first_from(window.to_ns) + 1, series.size());
  while (first < end) {
    const int64_t start_ns = series[first].time_ns;
    const int64_t edge_ns = pixels.end_of_pixel(std::max(start_ns, window.from_ns));
    const size_t next = std::clamp(series.first_from(edge_ns), first + 1, end);
    const CounterRange range = series.range(first, next);
    boxes.track.push_back(track);
    boxes.lane.push_back(0);
    boxes.start_ns.push_back(pixels.relative(start_ns));
    const int64_t until_ns = next < series.size() ? series[next].time_ns : series[next - 1].time_ns;
    boxes.duration_ns.push_back(static_cast<double>(until_ns - start_ns));
    boxes.count.push_back(static_cast<uint32_t>(next - first));
    boxes.longest_ns.push_back(0);
    boxes.event.push_back(0);
    boxes.name.push_back(UINT32_MAX);
    boxes.category.push_back(0);
    boxes.least.push_back(range.min);
    boxes.most.push_back(range.max);
    boxes.last.push_back(series[next - 1].value);
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
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    LaneView(index, window, lanes[lane], static_cast<uint32_t>(track), static_cast<uint16_t>(lane), boxes).add();
  }
}

std::string view_stream(const TimelineIndex& index, const ViewBoxes& boxes) {
  std::vector<uint32_t> names(boxes.size(), 0);
  std::vector<bool> is_slice(boxes.size());
  std::unordered_map<uint32_t, uint32_t> numbers;
  Json texts = Json::array();
  for (size_t i = 0; i < boxes.size(); ++i) {
    is_slice[i] = boxes.name[i] != UINT32_MAX;
    if (is_slice[i]) {
      const auto [place, is_new] = numbers.emplace(boxes.name[i], static_cast<uint32_t>(texts.size()));
      if (is_new) {
        texts.push_back(as_utf8(index.name_of(boxes.name[i])));
      }
      names[i] = place->second;
    }
  }
  std::vector<bool> is_counter = is_slice;
  is_counter.flip();
  return arrow_stream({{"track", boxes.track},
                       {"lane", boxes.lane},
                       {"start", boxes.start_ns},
                       {"duration", boxes.duration_ns},
                       {"count", boxes.count},
                       {"longest", boxes.longest_ns, is_slice},
                       {"event", boxes.event, is_slice},
                       {"name", std::move(names), is_slice},
                       {"category", boxes.category, is_slice},
                       {"value_min", boxes.least, is_counter},
                       {"value_max", boxes.most, is_counter},
                       {"value_last", boxes.last, is_counter}},
                      {{"names", json_text(texts)}});
}

}  // namespace aaco::serve
