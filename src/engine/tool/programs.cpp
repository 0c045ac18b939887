// SPDX-License-Identifier: MIT
#include "engine/tool/programs.h"

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <unistd.h>

#include "observe/host_files.h"

namespace aaco {

std::optional<std::filesystem::path> find_on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  for (const std::string_view folder : split(path == nullptr ? "" : path, ':')) {
    std::filesystem::path candidate = std::filesystem::path(folder.empty() ? "." : folder) / name;
    std::error_code error;
    if (::access(candidate.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(candidate, error)) {
      return candidate;
    }
  }
  return std::nullopt;
}

std::vector<int> version_in(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (size_t start = 0; start < text.size(); ++start) {
    // A number that begins inside a word ("rocprofv3", "sm_90") is part of the name; "v1.4" is a version.
    const bool in_word =
        start > 0 && (std::isalnum(static_cast<unsigned char>(text[start - 1])) != 0 || text[start - 1] == '_');
    const bool after_v = start > 0 && text[start - 1] == 'v' &&
                         (start == 1 || std::isalnum(static_cast<unsigned char>(text[start - 2])) == 0);
    if (!is_digit(text[start]) || (in_word && !after_v)) {
      continue;
    }
    std::vector<int> version;
    const char* at = text.data() + start;
    const char* const end = text.data() + text.size();
    for (;;) {
      int part = 0;
      const auto [next, error] = std::from_chars(at, end, part);
      if (error != std::errc{}) {
        break;
      }
      version.push_back(part);
      at = next;
      if (at + 1 >= end || *at != '.' || !is_digit(at[1])) {
        break;
      }
      ++at;
    }
    if (version.size() > 1) {
      return version;
    }
    start = static_cast<size_t>(at - text.data());
  }
  return {};
}

std::string version_line(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    if (!version_in(line).empty()) {
      return std::string(trimmed(line));
    }
  }
  return lines.empty() ? "" : std::string(trimmed(lines.front()));
}

}  // namespace aaco
