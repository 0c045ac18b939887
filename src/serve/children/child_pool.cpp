// SPDX-License-Identifier: MIT
#include "serve/children/child_pool.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "base/clock.h"
#include "base/format.h"
#include "engine/spawn.h"

namespace aaco::serve {

namespace {

constexpr size_t kMostErrorBytes = size_t{64} << 10;
constexpr int kAgainMs = 50;  // where an end cannot be polled for

// All that waits in a pipe. False at its end.
bool read_available(int descriptor, std::string& text, size_t most_bytes) {
  std::array<char, 65536> buffer;
  while (text.size() <= most_bytes) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got > 0) {
      text.append(buffer.data(), static_cast<size_t>(got));
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
      return false;
    } else if (errno == EAGAIN) {
      return true;
    }
  }
  return true;
}

bool unblock(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  return flags >= 0 && ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0;
}

std::string line_after(const std::string& text, std::string_view mark) {
  const size_t at = text.rfind(mark);
  const size_t start = at == std::string::npos ? text.size() : at + mark.size();
  return text.substr(start, text.find('\n', start) - start);
}

// Its last words are those of any command: "aaco: message" and "hint: ...".
Error error_of_child(int status, const std::string& errors) {
  if (WIFSIGNALED(status)) {
    return {ErrorKind::kResource,
            fmt::format("the process that computes the answer was ended by signal {} ({})", WTERMSIG(status),
                        ::strsignal(WTERMSIG(status))),
            "ask for less at a time"};
  }
  std::string message = line_after(errors, "aaco: ");
  if (message.empty()) {
    message = fmt::format("the process that computes the answer ended with exit code {}", WEXITSTATUS(status));
  }
  return {kind_of_exit_code(WEXITSTATUS(status)), message, line_after(errors, "hint: ")};
}

}  // namespace

struct ChildPool::RunningChild {
  ChildTask task;
  StartedChild child;
  int64_t deadline_ns = 0;
  std::string output = {};
  std::string errors = {};
  bool output_is_open = true;
  bool errors_is_open = true;
  std::optional<Error> reason = {};  // why it was ended

  void end(Error why) {
    if (!reason) {
      reason = std::move(why);
      (void)::kill(child.pid(), SIGKILL);  // it is there: nobody else waits for it
    }
  }
  void read() {
    output_is_open = output_is_open && read_available(child.output(), output, task.most_bytes);
    errors_is_open = errors_is_open && read_available(child.errors(), errors, kMostErrorBytes);
    errors.resize(std::min(errors.size(), kMostErrorBytes));
    if (output.size() > task.most_bytes) {
      end({ErrorKind::kResource, fmt::format("the answer is larger than {} MiB", task.most_bytes >> 20),
           "ask for less at a time"});
    }
    if (monotonic_ns() > deadline_ns) {
      end({ErrorKind::kResource, fmt::format("no answer within {} s", task.limit_ns / 1'000'000'000),
           "ask for less at a time"});
    }
  }
  Result<std::string> result(int status) {
    if (reason) {
      return *reason;
    }
    // Of input that was loaded in part there is an answer.
    const bool has_answer =
        WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == static_cast<int>(ErrorKind::kPartial));
    return has_answer ? Result<std::string>(std::move(output)) : error_of_child(status, errors);
  }
};

ChildPool::ChildPool(std::string program, size_t most_running, size_t most_waiting, std::vector<std::string> ready)
    : program_(std::move(program)),
      most_running_(most_running),
      most_waiting_(most_waiting),
      ready_arguments_(std::move(ready)) {}

ChildPool::~ChildPool() {
  end_ready();
  for (const std::unique_ptr<RunningChild>& running : running_) {
    (void)::kill(running->child.pid(), SIGKILL);        // it is there: nobody else waits for it
    (void)::waitpid(running->child.pid(), nullptr, 0);  // its end is what was asked for
  }
}

void ChildPool::start(ChildTask task) {
  if (running_.size() < most_running_) {
    launch(std::move(task));
  } else if (waiting_.size() < most_waiting_) {
    waiting_.push_back(std::move(task));
  } else {
    task.done(Error{ErrorKind::kUnavailable, "too many answers are being computed", "try again in a while"});
  }
}

void ChildPool::launch(ChildTask task) {
  Result<StartedChild> child = child_for(task);
  if (!child) {
    task.done(child.error());
    return;
  }
  if (!unblock(child->output()) || !unblock(child->errors())) {
    (void)::kill(child->pid(), SIGKILL);        // it is there: nobody else waits for it
    (void)::waitpid(child->pid(), nullptr, 0);  // its end is what was asked for
    task.done(Error{ErrorKind::kResource, "cannot read from a process", "try again"});
    return;
  }
  const int64_t deadline_ns = monotonic_ns() + task.limit_ns;
  running_.push_back(
      std::make_unique<RunningChild>(RunningChild{std::move(task), std::move(child).value(), deadline_ns}));
}

Result<StartedChild> ChildPool::start_child(const std::vector<std::string>& arguments, bool is_asked) {
  ProcessOptions options;
  options.arguments = arguments;
  options.arguments.insert(options.arguments.begin(), program_);
  options.is_asked = is_asked;
  return StartedChild::start(options);
}

// The one that is ready, if it takes the question; else a new one.
Result<StartedChild> ChildPool::child_for(const ChildTask& task) {
  wants_ready_ = wants_ready_ || !task.question.empty();
  if (ready_ && !task.question.empty()) {
    const auto bytes = static_cast<ssize_t>(task.question.size());
    if (unblock(ready_->input()) && ::write(ready_->input(), task.question.data(), task.question.size()) == bytes) {
      StartedChild child = std::move(*ready_);
      ready_.reset();
      child.end_input();
      return child;
    }
    end_ready();
  }
  return start_child(task.arguments, false);
}

// Not beside others, whose answers somebody waits for.
void ChildPool::make_ready() {
  if (wants_ready_ && !ready_ && running_.empty()) {
    wants_ready_ = false;
    if (Result<StartedChild> child = start_child(ready_arguments_, true)) {
      ready_.emplace(std::move(child).value());
    }
  }
}

void ChildPool::end_ready() {
  if (ready_) {
    (void)::kill(ready_->pid(), SIGKILL);        // nobody else waits for it: its pid is its own
    (void)::waitpid(ready_->pid(), nullptr, 0);  // its end is what was asked for
    ready_.reset();
  }
}

void ChildPool::start_waiting() {
  while (running_.size() < most_running_ && !waiting_.empty()) {
    ChildTask task = std::move(waiting_.front());
    waiting_.pop_front();
    launch(std::move(task));
  }
}

bool ChildPool::cancel(const std::string& id) {
  const Error cancelled{ErrorKind::kInterrupted, "cancelled", ""};
  for (const std::unique_ptr<RunningChild>& running : running_) {
    if (running->task.id == id) {
      running->end(cancelled);
      return true;
    }
  }
  const auto place =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const ChildTask& task) { return task.id == id; });
  if (place == waiting_.end()) {
    return false;
  }
  const ChildTask task = std::move(*place);
  waiting_.erase(place);
  task.done(cancelled);
  return true;
}

void ChildPool::add_polled(std::vector<pollfd>& polled) const {
  for (const std::unique_ptr<RunningChild>& running : running_) {
    polled.push_back({running->output_is_open ? running->child.output() : -1, POLLIN, 0});
    polled.push_back({running->errors_is_open ? running->child.errors() : -1, POLLIN, 0});
    polled.push_back({running->child.end(), POLLIN, 0});
  }
}

int ChildPool::wait_ms(int longest_ms) const {
  int64_t wait_ns = int64_t{longest_ms} * 1'000'000;
  for (const std::unique_ptr<RunningChild>& running : running_) {
    wait_ns = std::min(wait_ns, running->deadline_ns - monotonic_ns());
    wait_ns = running->child.end() < 0 ? std::min<int64_t>(wait_ns, int64_t{kAgainMs} * 1'000'000) : wait_ns;
  }
  return static_cast<int>(std::max<int64_t>(wait_ns, 0) / 1'000'000);
}

void ChildPool::step() {
  for (auto running = running_.begin(); running != running_.end();) {
    (*running)->read();
    int status = 0;
    if (::waitpid((*running)->child.pid(), &status, WNOHANG) != (*running)->child.pid()) {
      ++running;
      continue;
    }
    (*running)->read();  // what came between
    const std::unique_ptr<RunningChild> ended = std::move(*running);
    running = running_.erase(running);
    ended->task.done(ended->result(status));
  }
  start_waiting();
  make_ready();
}

}  // namespace aaco::serve
