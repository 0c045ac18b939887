// SPDX-License-Identifier: MIT
#include "report/plot/marks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "base/text/characters.h"
#include "report/plot/decimate.h"
#include "report/plot/markup.h"

namespace aaco::plot {

namespace {

constexpr size_t kMostDots = 3000;
constexpr double kNarrowestTitled = 0.8;  // px; thinner spans are merged
constexpr double kCharacterWidth = 5.9;   // px, of the text in a span
constexpr size_t kFewestCharacters = 3;   // in a span

std::string px(double value) { return coordinate(value); }

size_t columns_of(const Frame& frame) { return static_cast<size_t>(std::clamp(frame.right - frame.left, 1.0, 4000.0)); }

std::string path(const std::string& css_class, const std::string& data) {
  return data.empty() ? "" : "<path class=\"" + css_class + "\" d=\"" + data + "\"/>";
}

std::string titled(const std::string& element, const std::string& attributes, const std::string& title) {
  const std::string start = "<" + element + " " + attributes;
  return title.empty() ? start + "/>" : start + "><title>" + escape_markup(title) + "</title></" + element + ">";
}

// The polygon between low and high over [begin, end) of the series, all of which is finite.
std::string polygon(const Series& series, const Frame& frame, size_t first, size_t end) {
  const auto part = [&](const std::vector<double>& values) { return std::span(values).subspan(first, end - first); };
  const auto kept = [&](const std::vector<double>& values) {
    return decimate_line(part(series.x), part(values), frame.x.low, frame.x.high, columns_of(frame));
  };
  std::string data;
  for (const size_t i : kept(series.high)) {
    data +=
        (data.empty() ? "M" : "L") + px(frame.x.at(series.x[first + i])) + " " + px(frame.y.at(series.high[first + i]));
  }
  std::vector<size_t> back = kept(series.low);
  std::reverse(back.begin(), back.end());
  for (const size_t i : back) {
    data += "L" + px(frame.x.at(series.x[first + i])) + " " + px(frame.y.at(series.low[first + i]));
  }
  return data.empty() ? data : data + "Z";
}

// Where low or high is not known there is nothing to shade.
std::string band(const Series& series, const Frame& frame, const std::string& css_class) {
  const size_t count = std::min({series.x.size(), series.low.size(), series.high.size()});
  const auto known = [&](size_t i) {
    return std::isfinite(series.x[i]) && std::isfinite(series.low[i]) && std::isfinite(series.high[i]);
  };
  std::string data;
  for (size_t first = 0; first < count; ++first) {
    size_t end = first;
    while (end < count && known(end)) {
      ++end;
    }
    data += end > first ? polygon(series, frame, first, end) : "";
    first = end;
  }
  return path(css_class, data);
}

SeriesMarks draw_line(const Series& series, const Frame& frame) {
  SeriesMarks drawn;
  if (!series.low.empty()) {
    drawn.marks += band(series, frame, "fill");
  }
  std::string data;
  size_t previous = 0;
  for (const size_t i : decimate_line(series.x, series.y, frame.x.low, frame.x.high, columns_of(frame))) {
    // A value that is not known interrupts the line.
    const bool gap = data.empty() || std::any_of(series.y.begin() + static_cast<std::ptrdiff_t>(previous),
                                                 series.y.begin() + static_cast<std::ptrdiff_t>(i),
                                                 [](double y) { return !std::isfinite(y); });
    data += (gap ? "M" : "L") + px(frame.x.at(series.x[i])) + " " + px(frame.y.at(series.y[i]));
    data += gap ? "h0" : "";  // a point between two gaps shows as a dot
    previous = i;
  }
  drawn.marks += path("ln", data);
  return drawn;
}

// Points beyond the axis become triangles at its edge, one per pixel column.
std::string edge_triangles(const Series& series, const Frame& frame) {
  std::map<int, double> beyond;
  for (size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
    if (series.y[i] > frame.y.high && std::isfinite(series.y[i]) && frame.x.covers(series.x[i])) {
      beyond.emplace(static_cast<int>(frame.x.at(series.x[i]) / 4), frame.x.at(series.x[i]));
    }
  }
  std::string data;
  for (const auto& [column, x] : beyond) {
    data += "M" + px(x) + " " + px(frame.y.to) + "l4 7h-8z";
  }
  return data.empty() ? "" : "<path class=\"mk\" d=\"" + data + "\"><title>beyond the axis</title></path>";
}

SeriesMarks draw_points(const Series& series, const Frame& frame) {
  SeriesMarks drawn;
  drawn.over = edge_triangles(series, frame);
  const bool whiskers = !series.low.empty();
  const size_t count = std::min(series.x.size(), series.y.size());
  if (count > kMostDots) {
    drawn.reduced = true;
    std::string ranges;
    std::string medians;
    for (const ColumnSummary& column :
         summarize_columns(series.x, series.y, frame.x.low, frame.x.high, columns_of(frame))) {
      ranges += "M" + px(frame.x.at(column.x)) + " " + px(frame.y.at(column.low)) + "V" + px(frame.y.at(column.high));
      medians += (medians.empty() ? "M" : "L") + px(frame.x.at(column.x)) + " " + px(frame.y.at(column.median));
    }
    drawn.marks = path("rng", ranges) + path("ln", medians);
    return drawn;
  }
  std::string dots;
  for (size_t i = 0; i < count; ++i) {
    if (!frame.x.covers(series.x[i]) || !frame.y.covers(series.y[i])) {
      continue;
    }
    const std::string x = px(frame.x.at(series.x[i]));
    const std::string y = px(frame.y.at(series.y[i]));
    if (!whiskers && series.labels.empty()) {
      dots += "M" + x + " " + y + "h0";
      continue;
    }
    if (whiskers && std::isfinite(series.low[i]) && std::isfinite(series.high[i])) {
      drawn.marks += path("ln", "M" + x + " " + px(frame.y.at(series.low[i])) + "V" + px(frame.y.at(series.high[i])));
    }
    drawn.marks += titled("circle", "class=\"mk\" r=\"4\" cx=\"" + x + "\" cy=\"" + y + "\"",
                          i < series.labels.size() ? series.labels[i] : "");
  }
  drawn.marks += path("dots", dots);
  return drawn;
}

std::string whisker(const Series& series, size_t i, const Frame& frame, double middle) {
  if (i >= series.low.size() || i >= series.high.size() || !std::isfinite(series.low[i]) ||
      !std::isfinite(series.high[i])) {
    return "";
  }
  const double low = frame.x.at(std::max(series.low[i], frame.x.low));
  const double high = frame.x.at(std::min(series.high[i], frame.x.high));
  return path("wsk", "M" + px(low) + " " + px(middle - 3) + "v6M" + px(low) + " " + px(middle) + "H" + px(high) + "M" +
                         px(high) + " " + px(middle - 3) + "v6");
}

SeriesMarks draw_bars(const Series& series, const Frame& frame) {
  SeriesMarks drawn;
  const double row = std::abs(frame.y.at(1) - frame.y.at(0));
  for (size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
    if (!std::isfinite(series.x[i])) {
      continue;
    }
    const double from =
        frame.x.at(std::clamp(i < series.start.size() ? series.start[i] : 0, frame.x.low, frame.x.high));
    const double to = frame.x.at(std::clamp(series.x[i], frame.x.low, frame.x.high));
    const double middle = frame.y.at(series.y[i]);
    const double thickness = row * series.thickness;
    drawn.marks +=
        titled("rect",
               "class=\"bar\" x=\"" + px(std::min(from, to)) + "\" y=\"" + px(middle - thickness / 2) + "\" width=\"" +
                   px(std::max(std::abs(to - from), 1.0)) + "\" height=\"" + px(thickness) + "\" rx=\"1.5\"",
               i < series.labels.size() ? series.labels[i] : "");
    drawn.marks += whisker(series, i, frame, middle);
    if (i < series.values.size() && !series.values[i].empty()) {
      double end = std::max(from, to);
      if (i < series.high.size() && std::isfinite(series.high[i])) {
        end = std::max(end, frame.x.at(std::min(series.high[i], frame.x.high)));
      }
      drawn.over += "<text class=\"val\" x=\"" + px(end + 6) + "\" y=\"" + px(middle + 4) + "\">" +
                    escape_markup(series.values[i]) + "</text>";
    }
  }
  return drawn;
}

SeriesMarks draw_spans(const Series& series, const Frame& frame) {
  SeriesMarks drawn;
  const double row = std::abs(frame.y.at(1) - frame.y.at(0));
  const double thickness = row * 0.8;
  std::string thin;
  std::map<double, double> covered_to;  // by row: right edge of the last merged span
  for (size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
    const double from = frame.x.at(i < series.start.size() ? series.start[i] : 0);
    const double to = frame.x.at(series.x[i]);
    const double top = frame.y.at(series.y[i]) - thickness / 2;
    if (!std::isfinite(from) || !std::isfinite(to)) {
      continue;
    }
    if (to - from < kNarrowestTitled) {
      const auto [edge, first] = covered_to.try_emplace(series.y[i], -1e9);
      if (first || from > edge->second) {
        thin += "M" + px(from) + " " + px(top) + "h1v" + px(thickness) + "h-1z";
        edge->second = from + 1;
      }
      continue;
    }
    const std::string label = i < series.labels.size() ? series.labels[i] : "";
    drawn.marks += titled("rect",
                          "class=\"span\" x=\"" + px(from) + "\" y=\"" + px(top) + "\" width=\"" + px(to - from) +
                              "\" height=\"" + px(thickness) + "\"",
                          label);
    const auto room = static_cast<size_t>(std::max(0.0, (to - from - 8) / kCharacterWidth));
    const std::string name = label.substr(0, label.find(": "));  // C++ names have colons of their own
    const bool fits = length_of(name) <= room;
    if (room >= kFewestCharacters && !name.empty() && (fits || series.cuts_names)) {
      drawn.over += "<text class=\"in\" x=\"" + px(from + 4) + "\" y=\"" + px(top + thickness / 2 + 3.5) + "\">" +
                    escape_markup(fits ? name : shorten(name, room)) + "</text>";
    }
  }
  drawn.marks += path("thin", thin);
  return drawn;
}

SeriesMarks draw_histogram(const Series& series, const Frame& frame) {
  std::string data;
  const std::string ground = px(frame.y.at(std::max(0.0, frame.y.low)));
  for (size_t i = 0; i < series.y.size() && i + 1 < series.x.size(); ++i) {
    data += (i == 0 ? "M" + px(frame.x.at(series.x[0])) + " " + ground : "") + "V" + px(frame.y.at(series.y[i])) + "H" +
            px(frame.x.at(series.x[i + 1]));
  }
  SeriesMarks drawn;
  if (!data.empty()) {
    drawn.marks = path("fill", data + "V" + ground + "Z") + path("ln", data + "V" + ground);
  }
  return drawn;
}

SeriesMarks draw_ecdf(const Series& series, const Frame& frame) {
  std::string data;
  for (size_t i = 0; i < series.x.size(); ++i) {
    if (series.x[i] > frame.x.high) {  // the share that lies beyond the axis is missing at its edge
      data += data.empty() ? "" : "H" + px(frame.x.at(frame.x.high));
      break;
    }
    const std::string x = px(frame.x.at(series.x[i]));
    data += (i == 0 ? "M" + x + " " + px(frame.y.at(0)) : "H" + x) + "V" + px(frame.y.at(series.y[i]));
  }
  return {path("ln", data), "", false};
}

}  // namespace

SeriesMarks draw_series(const Series& series, const Frame& frame) {
  switch (series.mark) {
    case Mark::kLine:
      return draw_line(series, frame);
    case Mark::kPoints:
      return draw_points(series, frame);
    case Mark::kBars:
      return draw_bars(series, frame);
    case Mark::kSpans:
      return draw_spans(series, frame);
    case Mark::kHistogram:
      return draw_histogram(series, frame);
    case Mark::kEcdf:
      return draw_ecdf(series, frame);
    case Mark::kStackedArea:
      return {band(series, frame, "area"), "", false};
  }
  return {};
}

}  // namespace aaco::plot
