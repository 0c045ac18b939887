// SPDX-License-Identifier: MIT
#include "serve/wire/request_path.h"

#include <charconv>

namespace aaco::serve {

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_blank) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    char character = text[i];
    if (character == '%') {
      uint8_t value = 0;
      const std::string_view digits = text.substr(i + 1, 2);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
      if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2) {
        return std::nullopt;
      }
      character = static_cast<char>(value);
      i += 2;
    } else if (character == '+' && plus_is_blank) {
      character = ' ';
    }
    if (character == '\0') {
      return std::nullopt;
    }
    decoded += character;
  }
  return decoded;
}

std::optional<std::vector<std::string>> path_steps(std::string_view path) {
  if (!path.starts_with('/')) {
    return std::nullopt;
  }
  std::vector<std::string> steps;
  size_t at = 1;
  while (at <= path.size()) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::optional<std::string> step = percent_decoded(path.substr(at, end - at));
    const bool is_last = end == path.size();
    if (!step || *step == "." || *step == ".." || step->find('/') != std::string::npos || (step->empty() && !is_last)) {
      return std::nullopt;
    }
    steps.push_back(*step);
    at = end + 1;
  }
  return steps;
}

std::optional<std::string> query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=') {
      return percent_decoded(pair.substr(name.size() + 1), true);
    }
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return std::nullopt;
}

std::optional<int64_t> query_number(std::string_view query, std::string_view name, int64_t least, int64_t most) {
  const std::optional<std::string> text = query_value(query, name);
  int64_t value = 0;
  if (!text) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  const bool is_whole = error == std::errc() && end == text->data() + text->size();
  return is_whole && value >= least && value <= most ? std::optional(value) : std::nullopt;
}

}  // namespace aaco::serve
