// SPDX-License-Identifier: MIT
#include "base/text/words_in_lines.h"

#include <algorithm>

#include "base/text/characters.h"

namespace aaco {

std::vector<std::string> words_in_lines(std::string_view text, size_t columns) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t line_end = std::min(text.find('\n'), text.size());
    std::string_view rest = text.substr(0, line_end);
    text.remove_prefix(std::min(line_end + 1, text.size()));
    std::string line;
    while (!rest.empty()) {
      const size_t word_end = std::min(rest.find(' '), rest.size());
      const std::string_view word = rest.substr(0, word_end);
      rest.remove_prefix(std::min(word_end + 1, rest.size()));
      if (!line.empty() && length_of(line) + 1 + length_of(word) > columns) {
        lines.push_back(std::move(line));
        line.clear();
      }
      line += line.empty() ? word : " " + std::string(word);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace aaco
