// SPDX-License-Identifier: MIT
#include "report/flame/flame_graph.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "base/format.h"

namespace aaco::plot {

namespace {

constexpr size_t kMostRows = 32;
constexpr double kLeastShare = 0.001;  // a pixel of a page
constexpr double kRow = 19;            // px

struct Frame {
  std::string name;
  size_t depth = 0;
  double weight = 0;  // with what it called
  double start = 0;
  std::map<std::string, size_t, std::less<>> called;  // places in the tree
};

class FrameTree {
 public:
  FrameTree() : frames_(1) {}

  void add(const WeightedStack& stack) {
    size_t at = 0;
    frames_[0].weight += stack.weight;
    for (const std::string& name : stack.frames) {
      if (frames_[at].depth == kMostRows) {
        break;
      }
      const auto [place, added] = frames_[at].called.try_emplace(name, frames_.size());
      const size_t next = place->second;
      if (added) {
        frames_.push_back({.name = name, .depth = frames_[at].depth + 1, .called = {}});
      }
      frames_[next].weight += stack.weight;
      at = next;
    }
  }

  double whole() const { return frames_[0].weight; }

  // Those that are drawn, outer ones before what they called.
  std::vector<Frame> placed() {
    std::vector<Frame> drawn;
    std::vector<size_t> next{0};
    for (size_t i = 0; i < next.size(); ++i) {
      const Frame& outer = frames_[next[i]];
      std::vector<size_t> called;
      for (const auto& [name, place] : outer.called) {
        called.push_back(place);
      }
      std::stable_sort(called.begin(), called.end(),
                       [&](size_t a, size_t b) { return frames_[a].weight > frames_[b].weight; });
      double start = outer.start;
      for (const size_t place : called) {
        frames_[place].start = start;
        start += frames_[place].weight;
        if (frames_[place].weight >= kLeastShare * whole()) {
          next.push_back(place);
        }
      }
    }
    for (size_t i = 1; i < next.size(); ++i) {
      drawn.push_back(frames_[next[i]]);
    }
    return drawn;
  }

 private:
  std::vector<Frame> frames_;  // the first is around all
};

// The same name has the same colour in every graph (FNV-1a).
int colour_of(const std::string& name) {
  uint32_t hash = 2'166'136'261U;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  }
  return static_cast<int>(hash % kColours);
}

std::string left_out(std::span<const WeightedStack> stacks, double whole, const std::vector<Frame>& drawn) {
  double outermost = 0;
  for (const Frame& frame : drawn) {
    outermost += frame.depth == 1 ? frame.weight : 0;
  }
  const bool deeper = std::ranges::any_of(
      stacks, [](const WeightedStack& stack) { return stack.weight > 0 && stack.frames.size() > kMostRows; });
  std::string text;
  if (const double share = 1 - outermost / whole; share > 1e-9) {
    text += fmt::format(" Outermost frames of less than {} each are not drawn: {} of the whole.",
                        format_percent(kLeastShare), share < kLeastShare ? "< 0.1 %" : format_percent(share));
  }
  return text + (deeper ? fmt::format(" Frames deeper than {} are not drawn.", kMostRows) : "");
}

}  // namespace

Chart flame_graph(Chart chart, std::span<const WeightedStack> stacks, FormatValue format) {
  FrameTree tree;
  for (const WeightedStack& stack : stacks) {
    if (std::isfinite(stack.weight) && stack.weight > 0 && !stack.frames.empty()) {
      tree.add(stack);
    }
  }
  if (!(tree.whole() > 0)) {
    return chart;
  }
  const std::vector<Frame> drawn = tree.placed();
  chart.x.min = 0;
  chart.x.max = tree.whole();
  chart.row = kRow;
  chart.caption += left_out(stacks, tree.whole(), drawn);
  std::map<int, Series> by_colour;
  size_t rows = 0;
  for (const Frame& frame : drawn) {
    const int colour = colour_of(frame.name);
    Series& series = by_colour.try_emplace(colour, Series{.mark = Mark::kSpans, .colour = colour}).first->second;
    series.cuts_names = true;
    series.start.push_back(frame.start);
    series.x.push_back(frame.start + frame.weight);
    series.y.push_back(static_cast<double>(frame.depth - 1));
    series.labels.push_back(
        fmt::format("{}: {}, {}", frame.name, format(frame.weight), format_percent(frame.weight / tree.whole())));
    rows = std::max(rows, frame.depth);
  }
  chart.y.categories.assign(rows, " ");  // depths have no names
  for (auto& [colour, series] : by_colour) {
    chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace aaco::plot
