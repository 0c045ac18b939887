// SPDX-License-Identifier: MIT
#include "engine/spawn.h"

#include <cstring>
#include <fmt/format.h>

#include "base/files/file.h"
#include "base/interrupt.h"
#include "base/json/json.h"
#include "base/process/process.h"
#include "engine/worker_role.h"

namespace aaco {

ErrorKind kind_of_exit_code(int exit_code) {
  for (const ErrorKind kind : {ErrorKind::kUsage, ErrorKind::kUnavailable, ErrorKind::kInvalid, ErrorKind::kPartial,
                               ErrorKind::kBug, ErrorKind::kInterrupted}) {
    if (exit_code == static_cast<int>(kind)) {
      return kind;
    }
  }
  return exit_code == 127 ? ErrorKind::kUsage : ErrorKind::kResource;
}

namespace {

constexpr int kCannotBeLoaded = 127;  // by the system's loader, which says why

std::string last_line(std::string text) {
  text.erase(text.find_last_not_of('\n') + 1);
  return text.substr(text.rfind('\n') + 1);
}

// The worker's stderr ends with main's two lines, "aaco: message" and "hint: ...".
Error worker_error(const ProcessEnd& end, const std::string& worker_role, int64_t process) {
  if (end.signal != 0) {
    return {ErrorKind::kResource,
            fmt::format("{} process {} was ended by signal {} ({})", worker_role, process, end.signal,
                        ::strsignal(end.signal)),
            "out of memory (see dmesg), or a fault in ONNX Runtime or a driver: try another --ort-library"};
  }
  const auto line_after = [&](const char* mark) -> std::string {
    const size_t at = end.error_text.rfind(mark);
    return at == std::string::npos
               ? ""
               : end.error_text.substr(at + std::strlen(mark), end.error_text.find('\n', at) - at - std::strlen(mark));
  };
  const std::string message = line_after("aaco: ");
  if (message.empty() && end.exit_code == kCannotBeLoaded) {
    return {ErrorKind::kResource,
            fmt::format("{} process {} could not be loaded: {}", worker_role, process, last_line(end.error_text)),
            "see the limits of files and memory (ulimit -n, ulimit -v)"};
  }
  if (message.empty()) {
    return {kind_of_exit_code(end.exit_code),
            fmt::format("{} process {} ended with exit code {} and no result", worker_role, process, end.exit_code),
            "run it again; if it stays so, a library ended the process: try another --ort-library"};
  }
  return {kind_of_exit_code(end.exit_code), message, line_after("hint: ")};
}

std::vector<std::string> arguments_of(const std::string& program, const SpawnOptions& options,
                                      const std::string& worker_role, int64_t process) {
  return {program, "worker", options.plan_file.string(), "--role", worker_role, "--process", std::to_string(process)};
}

}  // namespace

Result<std::vector<std::string>> worker_command(const SpawnOptions& options, const std::string& worker_role,
                                                int64_t process) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    return file_error("/proc/self/exe", "read", error.value());
  }
  return arguments_of(program.string(), options, worker_role, process);
}

Result<Json> run_worker_process(const SpawnOptions& options, const std::string& worker_role, int64_t process,
                                int* signal) {
  ProcessOptions child;
  child.arguments = arguments_of("/proc/self/exe", options, worker_role, process);
  child.processors = options.processors;
  child.environment = options.environment;
  child.stop_fd = options.stop_fd;
  child.on_start = [&](pid_t pid) {
    if (options.measured_pid != nullptr) {
      options.measured_pid->store(pid);
    }
  };
  const auto end = run_process(child);
  if (options.measured_pid != nullptr) {
    options.measured_pid->store(0);
  }
  if (!end) {
    return end.error();
  }
  const std::filesystem::path path = result_path(options.folder, worker_role, process);
  std::error_code error;
  if (end->exit_code != 0 || !std::filesystem::exists(path, error)) {
    if (interrupted()) {
      return Error{ErrorKind::kInterrupted, "interrupted", ""};
    }
    if (signal != nullptr) {
      *signal = end->signal;
    }
    return worker_error(*end, worker_role, process);
  }
  return read_json(path);
}

}  // namespace aaco
