// SPDX-License-Identifier: MIT
// A report drawn for a reader: the same model, the same numbers.
#pragma once

#include <string>

#include "base/json_fwd.h"
#include "report/report_model.h"

namespace aaco::report {

// One file that opens offline: styles and script inside, no request to anywhere.
std::string render_html(const Report& report);

// `plots`: folder of the SVG files, as the document refers to it ("plots"); empty: plots are named, not shown.
std::string render_markdown(const Report& report, const std::string& plots);

// For a terminal or a log, 100 columns where tables allow.
std::string render_text(const Report& report);

// For a terminal too, and as brief as may be: no titles, nothing wrapped, an empty line between sections. What commands
// print that answer one question.
std::string render_lines(const Report& report);

// All tables as one of comma-separated values, a line for each cell: numbers as they were found, with their unit and
// interval; texts whole; or why there is nothing.
std::string render_csv(const Report& report);

// The sections as data. Plots are named by id, with the number of points of each series.
Json render_json(const Report& report);

}  // namespace aaco::report
