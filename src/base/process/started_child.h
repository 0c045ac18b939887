// SPDX-License-Identifier: MIT
// A child process with pipes for what it writes, and nobody who waits for it yet: for run_process(), and for those who
// have several.
#pragma once

#include <sys/types.h>

#include "base/process/process.h"

namespace aaco {

// Its descriptors are closed with it; the process is neither ended nor waited for.
class StartedChild {
 public:
  // Of the options: arguments, environment, processors and is_asked. The child dies with this process. Errors:
  // kResource.
  static Result<StartedChild> start(const ProcessOptions& options);
  StartedChild(StartedChild&& other) noexcept;
  StartedChild& operator=(StartedChild&&) = delete;
  ~StartedChild();

  pid_t pid() const { return pid_; }
  int output() const { return output_; }
  int errors() const { return errors_; }
  // Where what it is asked goes; -1 where its standard input is the parent's, or after end_input().
  int input() const { return input_; }
  void end_input();
  // Readable when the child has ended; -1 on kernels before 5.3.
  int end() const { return end_; }

 private:
  StartedChild(pid_t pid, int input, int output, int errors);

  pid_t pid_;
  int input_;
  int output_;
  int errors_;
  int end_;
};

}  // namespace aaco
