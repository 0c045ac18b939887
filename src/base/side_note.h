// SPDX-License-Identifier: MIT
// What is said beside a program's output: errors, warnings, progress. That it cannot be printed changes nothing: stderr
// may be closed or full, and the exit code has to stay the right one.
#pragma once

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

namespace aaco {

inline void write_note(std::string_view text, std::FILE* out = stderr) {
  (void)std::fwrite(text.data(), 1, text.size(), out);
  (void)std::fflush(out);
}

// Formatted, on stderr.
template <class... Values>
void note(fmt::format_string<Values...> format, Values&&... values) {
  write_note(fmt::format(format, std::forward<Values>(values)...));
}

}  // namespace aaco
