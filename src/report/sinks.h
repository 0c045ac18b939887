// SPDX-License-Identifier: MIT
// A report drawn for a reader: the same model, the same numbers.
#pragma once

#include <cstdint>
#include <string>

#include "base/json/json_fwd.h"
#include "report/report_model.h"

namespace aaco::report {

// One file that opens offline: styles and script inside, no request to anywhere.
std::string render_html(const Report& report);

// `plots`: folder of the SVG files, as the document refers to it ("plots"); empty: plots are named, not shown.
std::string render_markdown(const Report& report, const std::string& plots);

struct TextView {
  size_t most = SIZE_MAX;    // rows of a table
  bool folded = false;       // what a page folds is named, not shown
  std::string section = {};  // its id: that one alone, with what is folded; empty: all
};
// For a terminal or a log, 100 columns where tables allow.
std::string render_text(const Report& report, const TextView& view = {});

// For a terminal too, and as brief as may be: no titles, nothing wrapped, an empty line between sections. What commands
// print that answer one question.
std::string render_lines(const Report& report);
// The next of its sections.
void add_lines(const Section& section, std::string& text);

// All tables as one of comma-separated values, a line for each cell: numbers as they were found, with their unit and
// interval; texts whole; or why there is nothing.
std::string render_csv(const Report& report);

// The sections as data, for programs: a figure, a fact or a cell is {value, unit, interval}, numbers as they were
// found; where there is none, value is null, and "reason" says why. Plots hold their axes and every point of their
// series. All figures of the subject stand once more under "metrics", with ids that stay.
Json render_json(const Report& report);

}  // namespace aaco::report
