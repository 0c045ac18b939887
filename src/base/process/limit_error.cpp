// SPDX-License-Identifier: MIT
#include "base/process/limit_error.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <new>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/memory/spill_file.h"

namespace aaco {

namespace {

std::optional<uint64_t> soft_limit(__rlimit_resource resource) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::nullopt;
  }
  return limit.rlim_cur;
}

std::optional<uint64_t> number_in(const std::string& file) {
  std::ifstream stream(file);
  uint64_t number = 0;
  return stream >> number ? std::optional(number) : std::nullopt;
}

// Of the control group (version 2) of this process, where it has a limit that is reached.
std::optional<uint64_t> reached_pids_max() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with("0::") || line.find(":pids:") != std::string::npos) {
      const std::string group = line.substr(line.rfind(':') + 1);
      for (const std::string& root : {std::string("/sys/fs/cgroup"), std::string("/sys/fs/cgroup/pids")}) {
        const auto most = number_in(root + group + "/pids.max");
        const auto now = number_in(root + group + "/pids.current");
        if (most && now && *now >= *most) {
          return most;
        }
      }
    }
  }
  return std::nullopt;
}

std::string limit_of(int error_number) {
  if (error_number == EMFILE) {
    const auto files = soft_limit(RLIMIT_NOFILE);
    return files ? fmt::format("RLIMIT_NOFILE is {}", *files) : "";
  }
  if (error_number == ENFILE) {
    return "fs.file-max of the system";
  }
  if (error_number == ENOMEM) {
    const auto space = soft_limit(RLIMIT_AS);
    return space ? fmt::format("RLIMIT_AS is {} KiB", *space >> 10) : "";
  }
  if (error_number != EAGAIN) {
    return "";
  }
  if (const auto most = reached_pids_max()) {
    return fmt::format("pids.max of the control group is {}", *most);
  }
  if (const auto processes = soft_limit(RLIMIT_NPROC); processes && ::geteuid() != 0) {
    return fmt::format("RLIMIT_NPROC is {}", *processes);
  }
  if (const auto space = soft_limit(RLIMIT_AS)) {  // a thread's stack finds no room
    return fmt::format("RLIMIT_AS is {} KiB", *space >> 10);
  }
  const auto threads = number_in("/proc/sys/kernel/threads-max");
  return threads ? fmt::format("the kernel's threads-max is {}", *threads) : "";
}

}  // namespace

Error limit_error(std::string_view what, int error_number) {
  const std::string limit = limit_of(error_number);
  const bool of_files = error_number == EMFILE || error_number == ENFILE;
  return {ErrorKind::kResource,
          fmt::format("cannot {}: {}{}", what, std::strerror(error_number),
                      limit.empty() ? "" : fmt::format(" ({})", limit)),
          of_files ? "close some files, or raise the limit (ulimit -n)"
                   : "end other programs, or raise the limit (ulimit -u, ulimit -v, or of the container)"};
}

Error error_of(const std::exception& exception) {
  if (dynamic_cast<const Interruption*>(&exception) != nullptr) {
    return {ErrorKind::kInterrupted, "interrupted", ""};
  }
  if (const auto* spilled = dynamic_cast<const SpillFailed*>(&exception)) {
    return spilled->error();
  }
  if (dynamic_cast<const std::bad_alloc*>(&exception) != nullptr) {
    return {ErrorKind::kResource, "out of memory", "close other programs, or use smaller inputs"};
  }
  const auto* system = dynamic_cast<const std::system_error*>(&exception);
  if (system != nullptr && system->code() == std::errc::resource_unavailable_try_again) {  // of std::thread alone
    return limit_error("start a thread", EAGAIN);
  }
  return {ErrorKind::kBug, fmt::format("unexpected: {}", exception.what()),
          "this is a bug in aaco: please report the command line"};
}

}  // namespace aaco
