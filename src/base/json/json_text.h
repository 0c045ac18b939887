// SPDX-License-Identifier: MIT
// The text of a JSON value whose strings may be any bytes, as paths and words of a command line are. The text is UTF-8
// all the same: bytes that are not are written as utf8_of_bytes writes them, and parse_own_json gives them back.
// read_json and write_json do so too. Characters that would steer a terminal, C1 controls and direction overrides, are
// escapes, as ASCII controls always are in JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json/json_fwd.h"
#include "base/result.h"

namespace aaco {

std::string json_text(const Json& value);           // on one line
std::string indented_json_text(const Json& value);  // with a final newline

// Of one number (the shortest that reads back as the same), and of one text; there, bytes that are not UTF-8 are
// as as_utf8 writes them.
std::string json_number_text(int64_t number);
std::string json_number_text(double number);
std::string json_string_text(std::string_view text);

// Whether it is JSON, and nothing else.
bool is_json_text(std::string_view text);

// As parse_json, of text that these functions made.
Result<Json> parse_own_json(std::string_view text, std::string_view source);

}  // namespace aaco
