// SPDX-License-Identifier: MIT
// Lines for whoever reads along. A reader may leave, or a disk be full, days before the monitor ends: then there are no
// more lines, which is said once, and everything else goes on.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace aaco {

class EventLines {
 public:
  // SIGPIPE has to be ignored. `say` is told what failed, on the thread of write().
  EventLines(int descriptor, std::function<void(const std::string&)> say)
      : descriptor_(descriptor), say_(std::move(say)) {}

  // Without a buffer: whoever reads a pipe waits for the line.
  void write(std::string_view text);
  // Lines that somebody wanted did not arrive. A reader that left wanted no more.
  bool lost() const;

 private:
  int descriptor_;
  std::function<void(const std::string&)> say_;
  int failure_ = 0;  // errno
};

}  // namespace aaco
