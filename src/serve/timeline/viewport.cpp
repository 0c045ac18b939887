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
  // Neighbours mostly lie in one block.
  const SliceBlock& block(size_t index) {
    if (index != held_) {
      slices_ = lane_.block(index);
      held_ = index;
    }
    return slices_;
  }
  int64_t start_of(size_t index) { return block(index / kBlockSlices).start_ns(index % kBlockSlices); }
  int64_t duration_of(size_t index) { return block(index / kBlockSlices).duration_ns(index % kBlockSlices); }
  size_t first_from(int64_t time_ns, size_t from) {
    const SliceBlock& slices = block(from / kBlockSlices);
    if (const size_t at = slices.first_starting_from(time_ns); at < slices.size()) {
      return std::max(from, from / kBlockSlices * kBlockSlices + at);
    }
    return lane_.first_starting_from(time_ns, from);
  }
  SliceLane::Extreme longest(size_t first, size_t end) {
    if (first / kBlockSlices != (end - 1) / kBlockSlices) {
      return lane_.longest(first, end);
    }
    const SliceBlock& slices = block(first / kBlockSlices);
    const size_t start = first / kBlockSlices * kBlockSlices;
    const size_t at = slices.longest(first - start, end - start);
    return {slices.duration_ns(at), start + at};
  }

  // A box of `count` slices, of which the one at `longest_at` is the longest.
  void add_box(int64_t start_ns, int64_t end_ns, size_t count, size_t longest_at) {
    const SliceBlock& slices = block(longest_at / kBlockSlices);
    const size_t i = longest_at % kBlockSlices;
    ViewBox& box = boxes_.emplace_back();
    box.track = track_;
    box.lane = number_;
    box.count = static_cast<uint32_t>(std::min<size_t>(count, UINT32_MAX));
    box.start_ns = pixels_.relative(start_ns);
    box.duration_ns = static_cast<double>(end_ns - start_ns);
    box.longest_ns = static_cast<double>(slices.duration_ns(i));
    box.event = slices.row(i);
    box.label = slices.label(i);
  }
  void add_slice(size_t index) { add_box(start_of(index), start_of(index) + duration_of(index), 1, index); }
  // Of slices that begin in one pixel: what reaches beyond it is the last, and wide enough to be drawn itself.
  void add_pixel(int64_t first_start_ns, size_t first, size_t end) {
    const bool is_wide = static_cast<double>(duration_of(end - 1)) >= pixels_.width_ns();
    const size_t joined_end = is_wide ? end - 1 : end;
    if (joined_end == first + 1) {
      add_slice(first);
    } else if (joined_end > first) {
      const int64_t end_ns = start_of(joined_end - 1) + duration_of(joined_end - 1);
      add_box(first_start_ns, end_ns, joined_end - first, longest(first, joined_end).at);
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
    size_t index = first_block;
    while (index < end_block) {
      const int64_t edge_ns = pixels_.end_of_pixel(std::max(lane_.node(index).start_ns, window_.from_ns));
      const size_t next = std::clamp(lane_.first_block_from(edge_ns, index + 1), index + 1, end_block);
      const LaneNode& last = lane_.node(next - 1);
      if (next == index + 1 && static_cast<double>(last.end_ns - last.start_ns) > pixels_.width_ns()) {
        add_slices(index * kBlockSlices, next * kBlockSlices);
      } else {
        const SliceLane::Extreme extreme = lane_.longest_of_blocks(index, next);
        if (static_cast<double>(extreme.longest_ns) >= pixels_.width_ns()) {
          add_slices(index * kBlockSlices, next * kBlockSlices);
        } else {
          add_box(lane_.node(index).start_ns, last.end_ns, (next - index) * kBlockSlices, extreme.at);
        }
      }
      index = next;
    }
    add_slices(std::max(first, end_block * kBlockSlices), end);
  }

  const ViewWindow& window_;
  PixelGrid pixels_;
  const SliceLane& lane_;
  uint32_t track_;
  uint16_t number_;
  ViewBoxes& boxes_;
  SliceBlock slices_;  // the block that was looked at last
  size_t held_ = SIZE_MAX;
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
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    LaneView(window, lanes[lane], static_cast<uint32_t>(track), static_cast<uint16_t>(lane), boxes).add();
  }
}

std::string view_stream(const TimelineIndex& index, const ViewBoxes& boxes) {
  const auto column = [&]<class Value>(Value ViewBox::* member) {
    std::vector<Value> values(boxes.size());
    std::transform(boxes.begin(), boxes.end(), values.begin(), [&](const ViewBox& box) { return box.*member; });
    return values;
  };
  std::vector<uint32_t> names(boxes.size(), 0);
  std::vector<double> events(boxes.size(), 0);
  std::vector<uint8_t> categories(boxes.size(), 0);
  std::vector<bool> is_slice(boxes.size());
  std::unordered_map<uint32_t, uint32_t> numbers;
  Json texts = Json::array();
  for (size_t i = 0; i < boxes.size(); ++i) {
    is_slice[i] = !boxes[i].is_counter;
    if (!boxes[i].is_counter) {
      const auto [place, is_new] = numbers.emplace(boxes[i].label, static_cast<uint32_t>(texts.size()));
      if (is_new) {
        texts.push_back(as_utf8(index.name_of(boxes[i].label)));
      }
      names[i] = place->second;
      events[i] = boxes[i].event;
      categories[i] = index.category_of(boxes[i].label);
    }
  }
  std::vector<bool> is_counter = is_slice;
  is_counter.flip();
  return arrow_stream({{"track", column(&ViewBox::track)},
                       {"lane", column(&ViewBox::lane)},
                       {"start", column(&ViewBox::start_ns)},
                       {"duration", column(&ViewBox::duration_ns)},
                       {"count", column(&ViewBox::count)},
                       {"longest", column(&ViewBox::longest_ns), is_slice},
                       {"event", std::move(events), is_slice},
                       {"name", std::move(names), is_slice},
                       {"category", std::move(categories), is_slice},
                       {"value_min", column(&ViewBox::least), is_counter},
                       {"value_max", column(&ViewBox::most), is_counter},
                       {"value_last", column(&ViewBox::last), is_counter}},
                      {{"names", json_text(texts)}});
}

}  // namespace aaco::serve
