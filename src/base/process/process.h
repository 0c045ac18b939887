// SPDX-License-Identifier: MIT
// Child processes: spawned with a pipe for their messages, killed when the parent dies, waited for with a decoded end.
#pragma once

#include <functional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "base/result.h"

namespace aaco {

// How a child ended.
struct ProcessEnd {
  int exit_code = -1;      // -1 when a signal ended it
  int signal = 0;          // 0 when it exited
  std::string error_text;  // what it wrote to stderr, at most the last 64 KiB
};

struct ProcessOptions {
  std::vector<std::string> arguments;                            // arguments[0] is the program
  std::vector<std::pair<std::string, std::string>> environment;  // added to, or replacing, the parent's
  std::vector<int> processors;                                   // affinity; empty: the parent's
  std::function<void(pid_t)> on_start;                           // called once the child's pid is known
  std::function<void(std::string_view line)> on_line;            // each line of the child's stdout
  bool is_asked = false;   // StartedChild alone: its standard input is a pipe; else the parent's
  int stop_fd = -1;        // readable: the child is ended as by an interrupt
  bool cleans_up = false;  // short: an interrupt of the parent does not end it
};

// Runs a child to its end. SIGINT of the parent (see interrupt.h) is passed on as SIGTERM, then SIGKILL after 1 s.
// A program that cannot be started, or not on `processors`, ends with exit code 127. Errors: kResource when there can
// be no pipe or no process.
Result<ProcessEnd> run_process(const ProcessOptions& options);

// All lines of a short-lived tool's output (at most 4096); killed after `timeout_ms`. Errors: kUnavailable when it did
// not end with exit code 0; as run_process.
Result<std::vector<std::string>> lines_of(const std::vector<std::string>& arguments, int timeout_ms = 3000);

// The first of them that is not empty ("--version"), or an empty one.
Result<std::string> first_line_of(const std::vector<std::string>& arguments, int timeout_ms = 3000);

}  // namespace aaco
