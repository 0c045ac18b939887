// SPDX-License-Identifier: MIT
// What a command says on stderr while it works: on a terminal a bar, in a pipe a line every ten seconds.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace aaco {

struct ProgressStyle {
  bool bar = false;                // one line, drawn when there is news and rewritten from then on, wiped at the end
  std::chrono::milliseconds every  // between two lines, or two drawings of the bar; zero: nothing is said
      {10'000};
  std::FILE* out = stderr;
};

// "[###...] what, 20 s so far, about 30 s left" of a bar, cut where a terminal's line has so many columns; of a pipe
// the fraction as a number. What is left is said from 5 s and 5 % on: before that it would be a guess.
std::string progress_text(const std::string& what, double fraction, int64_t elapsed_s, bool bar,
                          std::optional<int> columns);

// A line is "[ 42 %] measuring ..., 20 s so far": what is being done, how far the whole is, how long it has taken.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);  // as stderr is a terminal or not; quiet: says nothing
  explicit ProgressLine(ProgressStyle style) : style_(style) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  void show(const std::string& what, double fraction);
  void wipe();  // nothing is said until show() is called again
  std::function<void(const std::string&, double)> callback() {
    return [this](const std::string& what, double fraction) { show(what, fraction); };
  }

 private:
  void start();
  void speak();
  void say();  // with mutex_ held

  const ProgressStyle style_;
  std::mutex mutex_;
  std::condition_variable over_;
  std::string what_;
  double fraction_ = 0;
  int64_t begun_ns_ = 0;
  bool shown_ = false;
  bool done_ = false;
  std::thread speaker_;
};

}  // namespace aaco
