// SPDX-License-Identifier: MIT
#include "report/plot/point_labels.h"

#include <algorithm>
#include <array>

#include "report/plot/label.h"

namespace aaco::plot {

namespace {

constexpr double kHeight = 12;  // px, of a line of text
constexpr double kAway = 7;     // px, from a point's middle

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;

  bool meets(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

std::array<Box, 4> places_around(double x, double y, double width) {
  const double half = kHeight / 2;
  return {Box{x + kAway, y - half, x + kAway + width, y + half}, Box{x - kAway - width, y - half, x - kAway, y + half},
          Box{x - width / 2, y - kAway - kHeight, x + width / 2, y - kAway},
          Box{x - width / 2, y + kAway, x + width / 2, y + kAway + kHeight}};
}

}  // namespace

std::string draw_point_labels(const std::vector<Series>& prepared, const Frame& frame) {
  std::vector<Box> occupied;
  const auto each_point = [&](const auto& use) {
    for (const Series& series : prepared) {
      for (size_t i = 0; series.mark == Mark::kPoints && i < std::min(series.x.size(), series.y.size()); ++i) {
        if (frame.x.covers(series.x[i]) && frame.y.covers(series.y[i])) {
          use(series, i, frame.x.at(series.x[i]), frame.y.at(series.y[i]));
        }
      }
    }
  };
  const bool any = std::ranges::any_of(
      prepared, [](const Series& series) { return series.mark == Mark::kPoints && !series.values.empty(); });
  if (!any) {
    return "";
  }
  each_point([&](const Series&, size_t, double x, double y) { occupied.push_back({x - 4, y - 4, x + 4, y + 4}); });
  std::string text;
  each_point([&](const Series& series, size_t i, double x, double y) {
    if (i >= series.values.size() || series.values[i].empty()) {
      return;
    }
    for (const Box& box : places_around(x, y, width_of(series.values[i]))) {
      const bool inside =
          box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
      if (inside && std::ranges::none_of(occupied, [&](const Box& other) { return box.meets(other); })) {
        text += text_at(box.left, box.bottom - 2.5, "class=\"nm val\"", series.values[i]);
        occupied.push_back(box);
        return;
      }
    }
  });
  return text;
}

}  // namespace aaco::plot
