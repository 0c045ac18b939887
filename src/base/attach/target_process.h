// SPDX-License-Identifier: MIT
// A process that is to be attached to: what /proc says of it, and why it cannot be where it cannot.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "base/result.h"

namespace aaco {

struct TargetProcess {
  pid_t pid = 0;
  std::vector<std::string> command;  // its words; of a kernel thread empty
  std::string name;
  char state = '?';          // as /proc/PID/stat has it
  uint64_t start_ticks = 0;  // since boot: a pid may be used again
  uid_t user = 0;            // effective
  gid_t group = 0;
  pid_t tracer = 0;
  bool is_kernel_thread = false;
  bool filters_system_calls = false;  // of its first thread
  bool ignores_traps = false;
  bool shares_mounts = true;  // it sees the same files under the same names
  bool shares_process_ids = true;

  std::string text() const;  // "process 4711 (python3)"
  // Whether it is still the same process, and has not ended.
  bool is_alive() const;
};

// `proc`: where /proc is. Errors: kUsage where there is no such process.
Result<TargetProcess> read_target(pid_t pid, const std::filesystem::path& proc = "/proc");

// Whether a thread has a seccomp filter, by the text of its /proc/PID/status.
bool filters_system_calls(std::string_view status);

// Why nothing can be loaded into it, whatever the way; nothing where it can. kUnavailable, or kUsage for what is no
// program of the user's.
std::optional<Error> refuse_target(const TargetProcess& target);
// Why it cannot be stopped by ptrace, as far as that is known before one tries: 32 bits, static, another C library,
// another tracer, stopped, another user's, a seccomp filter, SIGTRAP ignored.
std::optional<Error> refuse_tracing(const TargetProcess& target);
// Why the kernel answered EPERM.
Error tracing_forbidden(const TargetProcess& target, const std::filesystem::path& proc = "/proc");

}  // namespace aaco
