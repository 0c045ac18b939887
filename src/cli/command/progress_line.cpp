// SPDX-License-Identifier: MIT
#include "cli/command/progress_line.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/side_note.h"

namespace aaco {

namespace {

constexpr int kBarWidth = 30;
constexpr std::chrono::milliseconds kBarEvery{1'000};

ProgressStyle style_of(bool quiet) {
  ProgressStyle style;
  style.bar = ::isatty(STDERR_FILENO) == 1;
  style.every = quiet ? std::chrono::milliseconds(0) : style.bar ? kBarEvery : style.every;
  return style;
}

}  // namespace

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
  what_ = what;
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
  // Signals are for the main thread: a Ctrl-C handled here would not interrupt what that one waits for.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  speaker_ = std::thread([this] { speak(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
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
  const std::string since = seconds > 0 || !style_.bar ? fmt::format(", {} s so far", seconds) : "";
  if (style_.bar) {
    const int filled = static_cast<int>(fraction_ * kBarWidth);
    write_note(fmt::format("\r\x1b[K[{:#<{}}{:.<{}}] {}{}", "", filled, "", kBarWidth - filled, what_, since),
               style_.out);
  } else {
    write_note(fmt::format("[{:3.0f} %] {}{}\n", 100 * fraction_, what_, since), style_.out);
  }
}

}  // namespace aaco
