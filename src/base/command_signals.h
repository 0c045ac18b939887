// SPDX-License-Identifier: MIT
// Signals that are meant for a command of the user's, not for aaco.
#pragma once

namespace aaco {

// While it lives, what catch_interrupts() catches is counted, and neither interrupts nor ends this process. There is
// one at a time.
class CommandSignals {
 public:
  CommandSignals();
  ~CommandSignals();
  CommandSignals(const CommandSignals&) = delete;
  CommandSignals& operator=(const CommandSignals&) = delete;

  // How often SIGINT, SIGTERM or SIGHUP has come.
  static int count(int number);
};

}  // namespace aaco
