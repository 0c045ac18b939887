// SPDX-License-Identifier: MIT
#include "cli/command/progress_line.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace aaco {

namespace {
constexpr int kBarWidth = 30;
}

ProgressLine::ProgressLine() : terminal_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() { wipe(); }

void ProgressLine::show(const std::string& what, double fraction) {
  if (!terminal_) {
    return;
  }
  const int filled = std::clamp(static_cast<int>(fraction * kBarWidth), 0, kBarWidth);
  fmt::print(stderr, "\r\x1b[K[{:#<{}}{:.<{}}] {}", "", filled, "", kBarWidth - filled, what);
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::wipe() {
  if (shown_) {
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
    shown_ = false;
  }
}

}  // namespace aaco
