// SPDX-License-Identifier: MIT
// A cell of comma-separated values (RFC 4180) that is safe to open: in a spreadsheet it is no formula, on a terminal it
// steers nothing, and it is UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace aaco::report {

// `text` is words, not a number of a column of numbers: those are written as they are. Quoted where RFC 4180 asks for
// it, and where it is empty, which no value would be. Spreadsheets take a text for a formula that begins with =, +, -,
// @, a tab or a carriage return, behind spaces and quotes too: such a text has a ' in front, save where all of it is a
// number, with a unit or without ("-3.5", "-43 %"), or a single character. What is not UTF-8 or would steer a terminal
// is as `unsteering` (base/text/characters.h) writes it.
std::string csv_cell(std::string_view text);

}  // namespace aaco::report
