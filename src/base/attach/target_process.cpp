// SPDX-License-Identifier: MIT
#include "base/attach/target_process.h"

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

#include "base/attach/elf_symbols.h"
#include "base/attach/process_maps.h"
#include "base/text/characters.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr const char* kStartDormant = "start it with aaco observe --dormant -- CMD: that is woken without ptrace";
constexpr uint64_t kKernelThreadFlag = 0x0020'0000;  // PF_KTHREAD

std::vector<std::string> words_of(const std::string& text, char separator) {
  std::vector<std::string> words;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find(separator, start), text.size());
    words.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

uint64_t number_of(const std::string& word) {
  uint64_t number = 0;
  static_cast<void>(std::from_chars(word.data(), word.data() + word.size(), number));  // else 0, as asked for
  return number;
}

// Fields of /proc/PID/stat from the state on: the name before it may hold anything, brackets too.
std::vector<std::string> stat_fields(const fs::path& folder, std::string& name) {
  const std::string stat = read_proc_text(folder / "stat");
  const size_t open = stat.find('(');
  const size_t close = stat.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close + 2 >= stat.size()) {
    return {};
  }
  name = stat.substr(open + 1, close - open - 1);
  return words_of(stat.substr(close + 2), ' ');
}

// "Uid:\t1000\t1000\t1000\t1000": the effective one is the second.
void read_status(const std::string& status, TargetProcess& target) {
  for (const std::string& line : words_of(status, '\n')) {
    const std::vector<std::string> words = words_of(line, '\t');
    if (words.size() > 2 && words[0] == "Uid:") {
      target.user = static_cast<uid_t>(number_of(words[2]));
    } else if (words.size() > 2 && words[0] == "Gid:") {
      target.group = static_cast<gid_t>(number_of(words[2]));
    } else if (words.size() > 1 && words[0] == "TracerPid:") {
      target.tracer = static_cast<pid_t>(number_of(words[1]));
    } else if (words.size() > 1 && words[0] == "SigIgn:") {
      target.ignores_traps = (std::strtoull(words[1].c_str(), nullptr, 16) >> (SIGTRAP - 1) & 1) != 0;
    }
  }
}

// Namespaces that cannot be compared, for want of permission, are taken for the same: what follows tells.
bool shares(const fs::path& proc, const fs::path& folder, const char* kind) {
  std::error_code error;
  const fs::path own = fs::read_symlink(proc / "self" / "ns" / kind, error);
  const fs::path other = fs::read_symlink(folder / "ns" / kind, error);
  return error || own == other;
}

Error unavailable(const TargetProcess& target, std::string_view why, std::string hint) {
  return {ErrorKind::kUnavailable, fmt::format("cannot attach to {}: {}", target.text(), why), std::move(hint)};
}

constexpr size_t kStateField = 0;
constexpr size_t kFlagsField = 6;
constexpr size_t kStartField = 19;

}  // namespace

std::string TargetProcess::text() const { return fmt::format("process {} ({})", pid, printable(name)); }

bool TargetProcess::is_alive() const {
  std::string ignored;
  const std::vector<std::string> fields = stat_fields(fmt::format("/proc/{}", pid), ignored);
  return fields.size() > kStartField && number_of(fields[kStartField]) == start_ticks && fields[kStateField] != "Z" &&
         fields[kStateField] != "X";
}

Result<TargetProcess> read_target(pid_t pid, const fs::path& proc) {
  const fs::path folder = proc / std::to_string(pid);
  TargetProcess target;
  target.pid = pid;
  const std::vector<std::string> fields = stat_fields(folder, target.name);
  if (fields.size() <= kStartField) {
    return Error{ErrorKind::kUsage, fmt::format("there is no process {}", pid),
                 "name one that runs (pgrep -f NAME); within a container its numbers are others than outside"};
  }
  target.state = fields[kStateField].front();
  target.is_kernel_thread = (number_of(fields[kFlagsField]) & kKernelThreadFlag) != 0;
  target.start_ticks = number_of(fields[kStartField]);
  target.command = words_of(read_proc_text(folder / "cmdline"), '\0');
  const std::string status = read_proc_text(folder / "status");
  read_status(status, target);
  target.filters_system_calls = filters_system_calls(status);
  target.shares_mounts = shares(proc, folder, "mnt");
  target.shares_process_ids = shares(proc, folder, "pid");
  return target;
}

bool filters_system_calls(std::string_view status) {
  constexpr std::string_view kField = "\nSeccomp:\t";
  const size_t place = status.find(kField);
  return place != std::string_view::npos && status.substr(place + kField.size(), 1) != "0";
}

std::optional<Error> refuse_target(const TargetProcess& target) {
  if (target.pid == ::getpid()) {
    return Error{ErrorKind::kUsage, "aaco does not attach to itself", "name another process"};
  }
  if (target.is_kernel_thread) {
    return Error{ErrorKind::kUsage, fmt::format("cannot attach to {}: it is a thread of the kernel", target.text()),
                 "name a program's process"};
  }
  if (target.state == 'Z' || target.state == 'X') {
    return Error{ErrorKind::kUsage,
                 fmt::format("cannot attach to {}: it has ended, and its parent has not asked how", target.text()),
                 "name one that runs"};
  }
  if (!target.shares_mounts || !target.shares_process_ids) {
    return unavailable(target, "it is in another container (another namespace of files or processes)",
                       "run aaco observe --pid in there, where its number may be another");
  }
  return std::nullopt;
}

std::optional<Error> refuse_tracing(const TargetProcess& target) {
  if (target.tracer != 0) {
    return unavailable(target, fmt::format("process {} (a debugger, strace?) traces it", target.tracer),
                       "end that first");
  }
  if (target.state == 'T' || target.state == 't') {
    return unavailable(target, "it is stopped", fmt::format("let it go on first: kill -CONT {}", target.pid));
  }
  if (::geteuid() != 0 && target.user != ::geteuid()) {
    return unavailable(target, fmt::format("user {} owns it, and this is user {}", target.user, ::geteuid()),
                       "run aaco as that user, or as root");
  }
  if (target.filters_system_calls) {
    return unavailable(target, "a seccomp filter watches its system calls, and might end it for one of ours",
                       kStartDormant);
  }
  if (target.ignores_traps) {
    return unavailable(target, "it ignores SIGTRAP, and would not any more afterwards", kStartDormant);
  }
  const fs::path folder = fmt::format("/proc/{}", target.pid);
  const Result<ElfFile> program = read_elf(folder / "exe", {});
  if (!program) {
    return tracing_forbidden(target);
  }
  if (program->machine == ElfMachine::k32Bit) {
    return unavailable(target, "it is a program of 32 bits, for which CUDA has no profiler", "observe one of 64 bits");
  }
  if (program->machine == ElfMachine::kOther) {
    return unavailable(target, "it is not a program for x86-64", "attaching is built for x86-64 only");
  }
  const std::string maps_text = read_proc_text(folder / "maps");
  if (maps_text.empty()) {
    return tracing_forbidden(target);
  }
  const std::vector<Mapping> maps = parse_maps(maps_text);
  if (mapping_of_file(maps, "ld-musl") != nullptr) {
    return unavailable(target, "its C library is musl, and aaco's observer needs glibc",
                       "run the program in an image with glibc");
  }
  if (mapping_of_file(maps, "libc.so.6") == nullptr && mapping_of_file(maps, "libc-2.") == nullptr) {
    return unavailable(target,
                       program->has_interpreter ? "it has no C library that is known (libc.so.6)"
                                                : "it is linked statically, so that it can load no library",
                       "observe a program that is linked with glibc's shared library");
  }
  return std::nullopt;
}

Error tracing_forbidden(const TargetProcess& target, const fs::path& proc) {
  const std::string scope = read_proc_text(proc / "sys" / "kernel" / "yama" / "ptrace_scope");
  const std::string value = scope.substr(0, scope.find('\n'));
  if (value == "1" || value == "2" || value == "3") {
    return unavailable(target, fmt::format("the kernel forbids ptrace (kernel.yama.ptrace_scope is {})", value),
                       value == "3" ? std::string(kStartDormant) + "; this scope lasts until the next boot"
                                    : fmt::format("{}; or run aaco as root, or set it to 0", kStartDormant));
  }
  return unavailable(target, "the kernel forbids ptrace (another user's, not dumpable, or a container without it)",
                     fmt::format("{}; or give the container CAP_SYS_PTRACE", kStartDormant));
}

}  // namespace aaco
