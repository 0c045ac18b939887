// SPDX-License-Identifier: MIT
// Sizes that a model declares as arithmetic over names: "past_sequence_length + sequence_length", "2*frames", "(h//2)".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

namespace aaco {

using SizeOfName = std::function<std::optional<int64_t>(const std::string&)>;

// The names that `text` computes with: +, -, *, / and // (rounded down), %, parentheses, min, max, floor, ceil. Empty
// where it is a plain name, or nothing that is understood. A hyphen or slash without spaces between two names is part
// of one name ("sequence-length"), unless `plain_names` has both.
std::set<std::string> names_in_expression(const std::string& text, const std::set<std::string>& plain_names);

// None where a name has no size, a division is by zero, or the result is negative or too large.
std::optional<int64_t> evaluate_expression(const std::string& text, const SizeOfName& size_of);

}  // namespace aaco
