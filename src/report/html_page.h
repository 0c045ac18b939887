// SPDX-License-Identifier: MIT
// The parts of a page that are the same in every report.
#pragma once

#include <string>

namespace aaco::report {

std::string page_style();
// Sorting of tables, the light and dark switch, and unfolding for print.
std::string page_script();
// The value of the page's Content-Security-Policy: nothing is loaded, and only `script` may run.
std::string content_policy(const std::string& script);

}  // namespace aaco::report
