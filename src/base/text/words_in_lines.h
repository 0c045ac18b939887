// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aaco {

// The text's lines, each broken between words so that it has at most so many characters; a longer word is a line of its
// own. An empty text has no line.
std::vector<std::string> words_in_lines(std::string_view text, size_t columns);

}  // namespace aaco
