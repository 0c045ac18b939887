// SPDX-License-Identifier: MIT
#include "cli/command/progress_line.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "base/clock.h"
#include "base/process/thread_start.h"
#include "base/side_note.h"
#include "base/text/characters.h"
#include "base/text/terminal.h"

namespace aaco {

namespace {

constexpr int kBarWidth = 30;
constexpr int64_t kLeastElapsedS = 5;
constexpr double kLeastFraction = 0.05;
constexpr std::chrono::milliseconds kBarEvery{1'000};

ProgressStyle style_of(bool quiet) {
  ProgressStyle style;
  style.bar = ::isatty(STDERR_FILENO) == 1;
  style.every = quiet ? std::chrono::milliseconds(0) : style.bar ? kBarEvery : style.every;
  return style;
}

}  // namespace

std::string progress_text(const std::string& what, double fraction, int64_t elapsed_s, bool bar,
                          std::optional<int> columns) {
  const int filled = static_cast<int>(fraction * kBarWidth);
  const std::string head = bar ? fmt::format("[{:#<{}}{:.<{}}] ", "", filled, "", kBarWidth - filled)
                               : fmt::format("[{:3.0f} %] ", 100 * fraction);
  std::string times = elapsed_s > 0 || !bar ? fmt::format(", {} s so far", elapsed_s) : "";
  if (elapsed_s >= kLeastElapsedS && fraction >= kLeastFraction) {
    times += fmt::format(", about {:.0f} s left", static_cast<double>(elapsed_s) * (1 - fraction) / fraction);
  }
  if (!bar || !columns) {
    return head + what + times;
  }
  // A line that fills the terminal wraps there, and would not be overwritten.
  const auto room = static_cast<size_t>(std::max(1, *columns - 1 - static_cast<int>(head.size() + times.size())));
  return shorten(head + shorten(what, room) + times, static_cast<size_t>(std::max(1, *columns - 1)));
}

ProgressLine::ProgressLine(bool quiet) : ProgressLine(style_of(quiet)) {}

ProgressLine::~ProgressLine() {
  wipe();
  if (speaker_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    over_.notify_all();
    speaker_.join();
  }
}

void ProgressLine::show(const std::string& what, double fraction) {
  if (style_.every.count() == 0) {
    return;
  }
  const std::lock_guard lock(mutex_);
  what_ = printable(what);  // names of files are in it
  fraction_ = std::clamp(fraction, 0.0, 1.0);
  shown_ = true;
  if (!speaker_.joinable()) {
    start();
  }
  if (style_.bar) {
    say();
  }
}

void ProgressLine::wipe() {
  const std::lock_guard lock(mutex_);
  if (shown_ && style_.bar) {
    write_note("\r\x1b[K", style_.out);
  }
  shown_ = false;
}

void ProgressLine::start() {
  begun_ns_ = monotonic_ns();
  if (auto started = start_thread([this] { speak(); })) {  // else nobody speaks between two steps
    speaker_ = std::move(*started);
  }
}

void ProgressLine::speak() {
  std::unique_lock lock(mutex_);
  while (!over_.wait_for(lock, style_.every, [this] { return done_; })) {
    if (shown_) {
      say();
    }
  }
}

void ProgressLine::say() {
  const int64_t seconds = (monotonic_ns() - begun_ns_) / 1'000'000'000;
  const std::string text = progress_text(what_, fraction_, seconds, style_.bar, terminal_columns(::fileno(style_.out)));
  write_note(style_.bar ? "\r\x1b[K" + text : text + "\n", style_.out);
}

}  // namespace aaco
