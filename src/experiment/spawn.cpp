// SPDX-License-Identifier: MIT
#include "experiment/spawn.h"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <fmt/format.h>
#include <mutex>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/process.h"

namespace aaco {

namespace {

// Of a worker's exit code: one of ours, or the one that says that it could not be started (on the processors that were
// asked for). Whatever else ended it, a library that called exit() for instance, is a failure during the run.
ErrorKind kind_of(int exit_code) {
  for (const ErrorKind kind : {ErrorKind::kUsage, ErrorKind::kUnavailable, ErrorKind::kInvalid, ErrorKind::kPartial,
                               ErrorKind::kBug, ErrorKind::kInterrupted}) {
    if (exit_code == static_cast<int>(kind)) {
      return kind;
    }
  }
  return exit_code == 127 ? ErrorKind::kUsage : ErrorKind::kResource;
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
  if (message.empty()) {
    return {kind_of(end.exit_code),
            fmt::format("{} process {} ended with exit code {} and no result", worker_role, process, end.exit_code),
            "run it again; if it stays so, a library ended the process: try another --ort-library"};
  }
  return {kind_of(end.exit_code), message, line_after("hint: ")};
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

namespace {

struct WorkerEnd {
  Result<Json> result;
  int signal = 0;  // that ended it
};

WorkerEnd run_to_its_end(const SpawnOptions& options, const std::string& worker_role, int64_t process) {
  ProcessOptions child;
  child.arguments = arguments_of("/proc/self/exe", options, worker_role, process);
  child.processors = options.processors;
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
    return {end.error()};
  }
  const std::filesystem::path path = result_path(options.folder, worker_role, process);
  std::error_code error;
  if (end->exit_code != 0 || !std::filesystem::exists(path, error)) {
    if (interrupted()) {
      return {Error{ErrorKind::kInterrupted, "interrupted", ""}};
    }
    return {worker_error(*end, worker_role, process), end->signal};
  }
  return {read_json(path)};
}

// Of one rank among others.
Error death_of(int64_t rank, int signal) {
  return {ErrorKind::kResource,
          fmt::format("rank {} dead: signal {} ({}) ended its process", rank, signal, ::strsignal(signal)),
          "out of memory (see dmesg), a fault in a driver or a library, or somebody's kill"};
}

// One eventfd, that tells all of them to end.
class StopSignal {
 public:
  StopSignal() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~StopSignal() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  int fd() const { return fd_; }
  void raise() const {
    const uint64_t one = 1;
    static_cast<void>(!::write(fd_, &one, sizeof one));
  }

 private:
  int fd_;
};

}  // namespace

RankEnds run_rank_processes(const SpawnOptions& options, const std::string& worker_role, int64_t ranks) {
  constexpr auto kGrace = std::chrono::seconds(4);
  RankEnds ends;
  ends.by_rank.assign(static_cast<size_t>(ranks), Result<JsonValue>(JsonValue()));
  const StopSignal stop;
  SpawnOptions each = options;
  each.measured_pid = nullptr;  // of several, none
  each.stop_fd = stop.fd();
  std::mutex mutex;
  std::condition_variable changed;
  int64_t ended = 0;
  std::vector<std::thread> threads;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      WorkerEnd end = run_to_its_end(each, worker_role, rank);
      Result<Json> result = end.signal == 0 ? std::move(end.result) : death_of(rank, end.signal);
      const std::lock_guard lock(mutex);
      if (!result && !ends.cause) {
        ends.cause = result.error();
        ends.dead_rank = end.signal == 0 ? std::nullopt : std::optional(rank);
      }
      ends.by_rank[static_cast<size_t>(rank)] = result ? Result<JsonValue>(std::move(result).value()) : result.error();
      ++ended;
      changed.notify_all();
    });
  }
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ended == ranks || ends.cause; });
    if (!changed.wait_for(lock, kGrace, [&] { return ended == ranks; })) {
      stop.raise();
    }
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return ends;
}

Result<Json> run_worker_process(const SpawnOptions& options, const std::string& worker_role, int64_t process) {
  return run_to_its_end(options, worker_role, process).result;
}

Result<WorkerResult> run_in_worker(const SpawnOptions& options, const std::string& worker_role, int64_t process) {
  AACO_ASSIGN(const Json json, run_worker_process(options, worker_role, process));
  return from_json_value<WorkerResult>(json, result_path(options.folder, worker_role, process).string());
}

}  // namespace aaco
