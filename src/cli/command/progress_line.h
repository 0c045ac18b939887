// SPDX-License-Identifier: MIT
// A progress bar on a terminal; silence in a pipe.
#pragma once

#include <functional>
#include <string>

namespace aaco {

// Draws on stderr, one line that is rewritten and wiped at the end. Nothing where stderr is no terminal.
class ProgressLine {
 public:
  ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  void show(const std::string& what, double fraction);
  void wipe();
  std::function<void(const std::string&, double)> callback() {
    return [this](const std::string& what, double fraction) { show(what, fraction); };
  }

 private:
  bool terminal_;
  bool shown_ = false;
};

}  // namespace aaco
