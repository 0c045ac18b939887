// SPDX-License-Identifier: MIT
#include "base/text/shell_words.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <string_view>

#include "base/text/utf8.h"

namespace aaco {

namespace {

// Bytes that no page can show, as octal numbers.
std::string quoted_bytes(const std::string& word) {
  std::string text = "$'";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    text += byte >= 0x80 || c == '\'' || c == '\\' ? fmt::format("\\{:03o}", byte) : std::string(1, c);
  }
  return text + "'";
}

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_=./,:+@%").find(c) != std::string_view::npos;
  });
  if (plain) {
    return word;
  }
  if (!is_utf8(word)) {
    return quoted_bytes(word);
  }
  std::string text = "'";
  for (const char c : word) {
    text += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return text + "'";
}

}  // namespace

std::string shell_command(const std::vector<std::string>& words) {
  std::string command;
  for (const std::string& word : words) {
    command += (command.empty() ? "" : " ") + quoted(word);
  }
  return command;
}

}  // namespace aaco
