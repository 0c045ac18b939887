// SPDX-License-Identifier: MIT
#include "report/plot/svg.h"

#include <algorithm>
#include <cmath>

#include "base/text/characters.h"
#include "report/plot/annotations.h"
#include "report/plot/label.h"
#include "report/plot/marks.h"
#include "report/plot/markup.h"
#include "report/plot/point_labels.h"
#include "report/plot/style.h"
#include "report/plot/ticks.h"

namespace aaco::plot {

namespace {

constexpr double kTextRow = 17;
constexpr double kRightMargin = 14;
constexpr double kBarRow = 24;
constexpr double kSpanRow = 34;
constexpr size_t kLongestCategory = 36;

std::string px(double value) { return coordinate(value); }

std::string axis_title(const Axis& axis, const Ticks& ticks) {
  const std::string unit = axis.logarithmic || ticks.unit.empty() ? "" : " (" + ticks.unit + ")";
  return axis.title + unit + (axis.logarithmic ? ", logarithmic" : "");
}

// What the vertical axis shows and, beside it, the legend, from `top` down; `height` is what they take.
struct Legend {
  std::string markup;
  double height = 0;
};

Legend draw_legend(const Chart& chart, const std::string& y_title, double top) {
  Legend legend;
  const double left = y_title.empty() ? 0 : width_of(y_title) + 20;
  if (!y_title.empty()) {
    legend.markup = text_at(0, top + 12, "", y_title);
  }
  double x = left;
  double y = top;
  for (const Series& series : chart.series) {
    if (series.name.empty()) {
      continue;
    }
    const std::string name = shorten(series.name, 48);
    const double width = 15 + width_of(name) + 16;
    if (x > left && x + width > chart.width) {
      x = left;
      y += kTextRow;
    }
    legend.markup += "<g class=\"" + colour_class(series.colour) + "\"><rect class=\"bar\" x=\"" + px(x) + "\" y=\"" +
                     px(y + 3) + "\" width=\"10\" height=\"10\" rx=\"2\"/></g>" +
                     text_at(x + 15, y + 12, "class=\"leg\"", name);
    x += width;
  }
  legend.height = legend.markup.empty() ? 0 : y - top + kTextRow + 3;
  return legend;
}

std::string draw_x_axis(const Axis& axis, const Frame& frame, const Ticks& ticks) {
  std::string grid;
  std::string labels;
  double taken_to = axis.quiet ? 1e9 : -1e9;
  for (size_t i = 0; i < ticks.positions.size(); ++i) {
    const double x = frame.x.at(ticks.positions[i]);
    grid += "M" + px(x) + " " + px(frame.top) + "V" + px(frame.bottom);
    const double half = width_of(ticks.labels[i]) / 2;
    const double middle = std::min(x, frame.right + kRightMargin - half);  // the last may reach over the edge
    if (middle - half >= taken_to + 6) {
      labels += text_at(middle, frame.bottom + 15, "text-anchor=\"middle\"", ticks.labels[i]);
      taken_to = middle + half;
    }
  }
  const std::string title = axis.quiet ? "" : axis_title(axis, ticks);
  return "<path class=\"grid\" d=\"" + grid + "\"/>" + labels +
         (title.empty() ? "" : text_at(frame.right, frame.bottom + 31, "text-anchor=\"end\"", title));
}

std::string draw_y_axis(const Axis& axis, const Frame& frame, const Ticks& ticks) {
  if (!axis.categories.empty()) {
    std::string labels;
    for (size_t i = 0; i < axis.categories.size(); ++i) {
      labels += "<g><title>" + escape_markup(axis.categories[i]) + "</title>" +
                text_at(frame.left - 8, frame.y.at(static_cast<double>(i)) + 4, "class=\"cat\" text-anchor=\"end\"",
                        shorten(axis.categories[i], kLongestCategory)) +
                "</g>";
    }
    return labels;
  }
  std::string grid;
  std::string labels;
  double taken_to = 1e9;
  for (size_t i = 0; i < ticks.positions.size(); ++i) {
    const double y = frame.y.at(ticks.positions[i]);
    grid += "M" + px(frame.left) + " " + px(y) + "H" + px(frame.right);
    if (y <= taken_to - 12) {
      labels += text_at(frame.left - 7, y + 4, "text-anchor=\"end\"", ticks.labels[i]);
      taken_to = y;
    }
  }
  return "<path class=\"grid\" d=\"" + grid + "\"/>" + labels;
}

// Room to the right of bars for the text at their ends.
double value_room(const Chart& chart) {
  double room = 0;
  for (const Series& series : chart.series) {
    for (const std::string& value : series.mark == Mark::kBars ? series.values : std::vector<std::string>()) {
      room = std::max(room, width_of(value) + 12);
    }
  }
  return room;
}

double left_margin(const Chart& chart, const Ticks& ticks) {
  double widest = 0;
  for (const std::string& label : chart.y.categories.empty() ? ticks.labels : chart.y.categories) {
    const std::string shown = shorten(label, kLongestCategory);
    widest = std::max(widest, chart.y.categories.empty() ? width_of(shown) : widest_of(shown));
  }
  return std::ceil(widest) + 12;
}

std::string open_svg(const Chart& chart, double height, SvgUse use) {
  std::string markup = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 " + px(chart.width) +
                       " " + px(height) + "\" role=\"img\" aria-label=\"" + escape_markup(chart.title) + "\"";
  if (use == SvgUse::kInline) {
    return markup + ">";
  }
  return markup + " width=\"" + px(chart.width) + "\" height=\"" + px(height) + "\"><style>.plot{" +
         light_properties() + "}@media(prefers-color-scheme:dark){.plot{" + dark_properties() +
         "}}.plot .bg{fill:var(--ground)}" + plot_rules() + "</style><desc>" + escape_markup(chart.caption) +
         "</desc><rect class=\"bg\" width=\"100%\" height=\"100%\"/>" + text_at(10, 20, "class=\"ttl\"", chart.title);
}

std::string draw_no_data(const Chart& chart, double top, SvgUse use) {
  const double height = top + 72;
  const std::string why = chart.no_data.empty() ? "no data" : "no data: " + chart.no_data;
  return open_svg(chart, height, use) + "<rect class=\"band\" x=\"0\" y=\"" + px(top) + "\" width=\"" +
         px(chart.width) + "\" height=\"72\" rx=\"4\"/>" +
         text_at(chart.width / 2, top + 40, "class=\"none\" text-anchor=\"middle\"",
                 shorten(why, static_cast<size_t>(chart.width / 8))) +
         "</svg>";
}

double plot_height(const Chart& chart, double above) {
  if (chart.y.categories.empty()) {
    return std::max(50.0, chart.height - above - (chart.x.quiet ? 6 : 38));
  }
  const bool spans = !chart.series.empty() && chart.series[0].mark == Mark::kSpans;
  const double row = chart.row > 0 ? chart.row : spans ? kSpanRow : kBarRow;
  return static_cast<double>(chart.y.categories.size()) * row + 4;
}

struct Layout {
  Frame frame;
  Ticks x_ticks;
  Ticks y_ticks;
  Legend legend;
  double height = 0;  // of the whole picture
};

Layout lay_out(const Chart& chart, const std::vector<Series>& prepared, double top) {
  Layout layout;
  Frame& frame = layout.frame;
  frame.x = scale_of_x(chart, prepared);
  frame.y = scale_of_y(chart, prepared);
  const bool categorical = !chart.y.categories.empty();
  if (!categorical) {
    layout.y_ticks = make_ticks(chart.y, frame.y.low, frame.y.high, chart.height < 120 ? 3 : 5);
  }
  frame.left = std::max(chart.left, left_margin(chart, layout.y_ticks));
  frame.right = chart.width - std::max(kRightMargin, value_room(chart));
  layout.legend = draw_legend(chart, categorical ? chart.y.title : axis_title(chart.y, layout.y_ticks), top);
  frame.top = top + layout.legend.height + 6;
  frame.bottom = frame.top + plot_height(chart, frame.top - top);
  frame.x.from = frame.left;
  frame.x.to = frame.right;
  frame.y.from = frame.bottom;
  frame.y.to = frame.top + (categorical ? 0 : name_strip(chart, frame));
  const double tick_room = chart.x.whole_numbers ? 40 : 85;
  layout.x_ticks = make_ticks(chart.x, frame.x.low, frame.x.high,
                              std::max(2, static_cast<int>((frame.right - frame.left) / tick_room)));
  layout.height = frame.bottom + (chart.x.quiet ? 6 : 38);
  return layout;
}

std::string draw_all_series(const Chart& chart, const std::vector<Series>& prepared, const Frame& frame) {
  const std::string clip = escape_markup("clip-" + chart.id);
  // What exceeds the axis does not run through the names above it.
  std::string markup = "<clipPath id=\"" + clip + "\"><rect x=\"" + px(frame.left) + "\" y=\"" + px(frame.y.to) +
                       "\" width=\"" + px(frame.right - frame.left) + "\" height=\"" + px(frame.bottom - frame.y.to) +
                       "\"/></clipPath>";
  std::string over = "<path class=\"axis\" d=\"M" + px(frame.left) + " " + px(frame.top) + "V" + px(frame.bottom) +
                     "H" + px(frame.right) + "\"/>";
  bool reduced = false;
  for (const Series& series : prepared) {
    const SeriesMarks drawn = draw_series(series, frame);
    const std::string group = "<g class=\"" + colour_class(series.colour) + "\"";
    markup += group + " clip-path=\"url(#" + clip + ")\">" + drawn.marks + "</g>";
    over += drawn.over.empty() ? "" : group + ">" + drawn.over + "</g>";
    reduced = reduced || drawn.reduced;
  }
  if (reduced) {
    over += text_at(frame.left, frame.bottom + 31, "", "per pixel column: lowest to highest, line through the medians");
  }
  return markup + over + draw_point_labels(prepared, frame);
}

}  // namespace

std::string render_svg(const Chart& chart, SvgUse use) {
  const double top = use == SvgUse::kStandAlone ? 30 : 2;
  if (!has_data(chart)) {
    return draw_no_data(chart, top, use);
  }
  const std::vector<Series> prepared = prepare(chart);
  const Layout layout = lay_out(chart, prepared, top);
  return open_svg(chart, layout.height, use) + layout.legend.markup +
         draw_x_axis(chart.x, layout.frame, layout.x_ticks) + draw_y_axis(chart.y, layout.frame, layout.y_ticks) +
         draw_annotations(chart, layout.frame) + draw_all_series(chart, prepared, layout.frame) + "</svg>";
}

}  // namespace aaco::plot
