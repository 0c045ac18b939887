// SPDX-License-Identifier: MIT
// The words of a request: steps of its path and values of its query, decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aaco::serve {

// "%41" as "A"; none where it is not well formed, or holds a NUL.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank = false);

// "/api/session/a%20b" as {"api", "session", "a b"}; none where a step is empty, "." or "..", or cannot be decoded. The
// last may be empty.
std::optional<std::vector<std::string>> path_steps(std::string_view path);

// Of the first of that name; none where there is none or it cannot be decoded.
std::optional<std::string> query_value(std::string_view query, std::string_view name);
// None where it is no whole number, or not within.
std::optional<int64_t> query_number(std::string_view query, std::string_view name, int64_t least, int64_t most);

}  // namespace aaco::serve
