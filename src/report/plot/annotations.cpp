// SPDX-License-Identifier: MIT
#include "report/plot/annotations.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/plot/label.h"
#include "report/plot/markup.h"
#include "report/plot/style.h"

namespace aaco::plot {

namespace {

constexpr double kNameRow = 13;
constexpr double kNameGap = 4;  // between a line and its name

using Kind = Annotation::Kind;

std::string px(double value) { return coordinate(value); }

double x_of(double value, const Frame& frame) { return frame.x.at(std::clamp(value, frame.x.low, frame.x.high)); }

struct Name {
  size_t annotation = 0;
  double left = 0;
  int row = 0;  // from the top
};

bool is_free(const std::vector<Name>& names, const Chart& chart, const Name& wanted) {
  const double right = wanted.left + width_of(chart.annotations[wanted.annotation].text);
  return std::none_of(names.begin(), names.end(), [&](const Name& name) {
    const double end = name.left + width_of(chart.annotations[name.annotation].text);
    return name.row == wanted.row && wanted.left < end + kNameGap && name.left < right + kNameGap;
  });
}

// Beside its line, right or left of it, in the first row where it is clear of the names before it.
Name name_of_line(const std::vector<Name>& names, const Chart& chart, size_t i, const Frame& frame) {
  const double x = x_of(chart.annotations[i].from, frame);
  const double width = width_of(chart.annotations[i].text);
  const bool right_fits = x + kNameGap + width <= frame.right;
  const bool left_fits = x - kNameGap - width >= frame.left;
  for (int row = 0;; ++row) {
    const Name right{i, x + kNameGap, row};
    const Name left{i, x - kNameGap - width, row};
    if ((right_fits || !left_fits) && is_free(names, chart, right)) {
      return right;
    }
    if (left_fits && is_free(names, chart, left)) {
      return left;
    }
  }
}

// A band without room for its name has it as a tooltip only.
std::vector<Name> place_names(const Chart& chart, const Frame& frame) {
  std::vector<Name> names;
  for (size_t i = 0; i < chart.annotations.size(); ++i) {
    const Annotation& note = chart.annotations[i];
    if (note.text.empty() || !note.named) {
      continue;
    }
    if (note.kind == Kind::kVerticalLine) {
      names.push_back(name_of_line(names, chart, i, frame));
    } else if (note.kind == Kind::kVerticalBand) {
      const double room = x_of(note.to, frame) - x_of(note.from, frame);
      const Name name{i, x_of(note.from, frame) + (room - width_of(note.text)) / 2, 0};
      if (width_of(note.text) + 8 <= room && is_free(names, chart, name)) {
        names.push_back(name);
      }
    }
  }
  return names;
}

std::string draw_vertical(const Annotation& note, const Frame& frame) {
  const double from = x_of(note.from, frame);
  if (note.kind == Kind::kVerticalLine) {
    return "<path class=\"note\" d=\"M" + px(from) + " " + px(frame.top) + "V" + px(frame.bottom) + "\"/>";
  }
  return std::string("<rect ") + (note.shaded ? "class=\"band\"" : "fill=\"none\"") + " x=\"" + px(from) + "\" y=\"" +
         px(frame.top) + "\" width=\"" + px(std::max(x_of(note.to, frame) - from, 0.5)) + "\" height=\"" +
         px(frame.bottom - frame.top) + "\"><title>" + escape_markup(note.text) + "</title></rect>";
}

// Labels of lines are put above them, or below where another label is near. An axis with a limit of its own may end
// before a line or a band does.
std::string draw_horizontal(const Annotation& note, const Frame& frame, double& last_label) {
  if (note.kind == Kind::kHorizontalBand) {
    if (note.to < frame.y.low || note.from > frame.y.high) {
      return "";
    }
    const double bottom = frame.y.at(std::max(note.from, frame.y.low));
    const double top = frame.y.at(std::min(note.to, frame.y.high));
    return "<rect class=\"tint\" x=\"" + px(frame.left) + "\" y=\"" + px(top) + "\" width=\"" +
           px(frame.right - frame.left) + "\" height=\"" + px(std::max(bottom - top, 1.0)) + "\"><title>" +
           escape_markup(note.text) + "</title></rect>";
  }
  if (!frame.y.covers(note.from)) {
    return "";
  }
  const double y = frame.y.at(note.from);
  double label = y - 4;
  if (std::abs(label - last_label) < 13 || label < frame.top + 9) {
    label = y + 13;
  }
  last_label = label;
  return "<path class=\"note\" d=\"M" + px(frame.left) + " " + px(y) + "H" + px(frame.right) + "\"/>" +
         (note.text.empty() ? "" : text_at(frame.right - 4, label, "text-anchor=\"end\"", note.text));
}

}  // namespace

double name_strip(const Chart& chart, const Frame& frame) {
  int rows = 0;
  for (const Name& name : place_names(chart, frame)) {
    rows = std::max(rows, name.row + 1);
  }
  return rows == 0 ? 0 : 3 + rows * kNameRow;
}

std::string draw_annotations(const Chart& chart, const Frame& frame) {
  std::string markup;
  double last_label = -1e9;
  for (const Annotation& note : chart.annotations) {
    const bool vertical = note.kind == Kind::kVerticalBand || note.kind == Kind::kVerticalLine;
    markup += "<g class=\"" + colour_class(note.colour) + "\">" +
              (vertical ? draw_vertical(note, frame) : draw_horizontal(note, frame, last_label)) + "</g>";
  }
  for (const Name& name : place_names(chart, frame)) {
    markup += text_at(name.left, frame.top + 11 + name.row * kNameRow, "class=\"nm\"",
                      chart.annotations[name.annotation].text);
  }
  return markup;
}

}  // namespace aaco::plot
