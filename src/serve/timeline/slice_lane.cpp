// SPDX-License-Identifier: MIT
#include "serve/timeline/slice_lane.h"

#include <algorithm>

namespace aaco::serve {

namespace {

Error damaged_lane() {
  return {ErrorKind::kUsage, "the index of the timeline is damaged", "remove report/timeline.index of the session"};
}

LaneNode joined(std::span<const LaneNode> nodes) {
  LaneNode node = nodes.front();
  for (const LaneNode& next : nodes) {
    if (next.longest_ns > node.longest_ns) {
      node.longest_ns = next.longest_ns;
      node.longest_at = next.longest_at;
    }
    node.end_ns = std::max(node.end_ns, next.end_ns);
  }
  node.place = 0;
  return node;
}

size_t pieces(size_t count, size_t each) { return (count + each - 1) / each; }

// How many nodes each level of a lane has, the blocks' first; the last has one.
std::vector<size_t> level_sizes(size_t slices) {
  std::vector<size_t> sizes;
  for (size_t nodes = pieces(slices, kBlockSlices); nodes > 0; nodes = nodes == 1 ? 0 : pieces(nodes, kFanOut)) {
    sizes.push_back(nodes);
  }
  return sizes;
}

}  // namespace

void LaneWriter::add(const LaneSlice& slice) {
  open_.push_back(slice);
  ++count_;
  if (open_.size() == kBlockSlices) {
    end_block();
  }
}

void LaneWriter::end_block() {
  LaneNode node{open_.front().start_ns, INT64_MIN, -1, 0, static_cast<uint32_t>(blocks_.size())};
  const size_t first = count_ - open_.size();
  for (size_t i = 0; i < open_.size(); ++i) {
    node.end_ns = std::max(node.end_ns, open_[i].start_ns + open_[i].duration_ns);
    if (open_[i].duration_ns > node.longest_ns) {
      node.longest_ns = open_[i].duration_ns;
      node.longest_at = static_cast<uint32_t>(first + i);
    }
  }
  nodes_.push_back(node);
  SliceBlock::pack(open_, blocks_);
  open_.clear();
}

Result<std::string> LaneWriter::finish() {
  if (!open_.empty()) {
    end_block();
  }
  if (blocks_.size() > UINT32_MAX) {
    return Error{ErrorKind::kUnavailable, "a track has too many events for a timeline", "import a part of the trace"};
  }
  std::string bytes;
  std::vector<LaneNode> level = std::move(nodes_);
  for (const size_t size : level_sizes(count_)) {
    bytes.append(reinterpret_cast<const char*>(level.data()), size * sizeof(LaneNode));
    std::vector<LaneNode> above;
    for (size_t first = 0; first < level.size(); first += kFanOut) {
      above.push_back(joined(std::span(level).subspan(first, std::min(kFanOut, level.size() - first))));
    }
    level = std::move(above);
  }
  return bytes + blocks_;
}

Result<SliceLane> SliceLane::open(std::span<const char> bytes, size_t count) {
  SliceLane lane;
  lane.count_ = count;
  size_t at = 0;
  for (const size_t size : level_sizes(count)) {
    if (size > (bytes.size() - at) / sizeof(LaneNode)) {
      return damaged_lane();
    }
    lane.levels_.emplace_back(reinterpret_cast<const LaneNode*>(bytes.data() + at), size);
    at += size * sizeof(LaneNode);
  }
  lane.blocks_ = bytes.subspan(at);
  for (const std::span<const LaneNode> level : lane.levels_) {
    if (std::any_of(level.begin(), level.end(), [&](const LaneNode& node) { return node.longest_at >= count; })) {
      return damaged_lane();
    }
  }
  return lane;
}

LaneSlice SliceLane::operator[](size_t index) const {
  const SliceBlock slices = block(index / kBlockSlices);
  const size_t i = index % kBlockSlices;
  return {slices.start_ns(i), slices.duration_ns(i), slices.row(i), slices.label(i)};
}

// Level by level: what does not fill a node of the next is looked at here.
SliceLane::Extreme SliceLane::longest_of_blocks(size_t first, size_t end) const {
  Extreme extreme;
  for (const std::span<const LaneNode> level : levels_) {
    const auto look = [&](size_t from, size_t to) {
      for (size_t i = from; i < to; ++i) {
        take(extreme, level[i].longest_ns, level[i].longest_at);
      }
    };
    const size_t inner_first = pieces(first, kFanOut);
    const size_t inner_end = end == level.size() ? pieces(end, kFanOut) : end / kFanOut;
    if (inner_first >= inner_end || level.size() == 1) {
      look(first, end);
      break;
    }
    look(first, inner_first * kFanOut);
    look(std::min(inner_end * kFanOut, end), end);
    first = inner_first;
    end = inner_end;
  }
  return extreme;
}

size_t SliceLane::first_block_from(int64_t time_ns, size_t from, size_t step) const {
  const std::span<const LaneNode> nodes = levels_.empty() ? std::span<const LaneNode>() : levels_[0];
  step = std::max<size_t>(step, 1);
  size_t low = from;
  while (low + step < nodes.size() && nodes[low + step].start_ns < time_ns) {
    low += step;
    step *= 2;
  }
  const auto first = nodes.begin() + static_cast<std::ptrdiff_t>(std::min(low, nodes.size()));
  const auto end = nodes.begin() + static_cast<std::ptrdiff_t>(std::min(low + step + 1, nodes.size()));
  return static_cast<size_t>(
      std::lower_bound(first, end, time_ns, [](const LaneNode& node, int64_t time) { return node.start_ns < time; }) -
      nodes.begin());
}

size_t SliceLane::first_starting_from(int64_t time_ns, size_t from) const {
  if (from >= count_) {
    return count_;
  }
  const size_t next = first_block_from(time_ns, from / kBlockSlices);
  if (next == 0) {
    return from;
  }
  return std::max(from, (next - 1) * kBlockSlices + block(next - 1).first_starting_from(time_ns));
}

// They do not overlap: only the last that starts before can end after.
size_t SliceLane::first_ending_after(int64_t time_ns) const {
  const size_t first = first_starting_from(time_ns);
  return first > 0 && first <= count_ && (*this)[first - 1].start_ns + (*this)[first - 1].duration_ns > time_ns
             ? first - 1
             : first;
}

}  // namespace aaco::serve
