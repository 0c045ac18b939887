// SPDX-License-Identifier: MIT
// Child processes that compute answers: a few at a time, each with a limit of time and of what it writes. One thread
// starts them, waits for all of them at once and hears their ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <vector>

#include "base/process/started_child.h"
#include "base/result.h"

namespace aaco::serve {

struct ChildTask {
  std::vector<std::string> arguments;  // of this program, without its name
  std::string question = {};           // for a process that is ready already, where there is one; then no arguments
  std::string id = {};                 // to cancel it by; may be empty
  int64_t limit_ns = 60'000'000'000;
  size_t most_bytes = size_t{64} << 20;
  // What it printed; or its own error, that it was cancelled, took too long or wrote too much.
  std::function<void(Result<std::string>)> done;
};

class ChildPool {
 public:
  // `program`: this one's path. At most `most_running` at once; `most_waiting` more wait. After the first task with a
  // question, one more process waits for the next: loading DuckDB takes longer than most answers. `ready`: its
  // arguments.
  ChildPool(std::string program, size_t most_running, size_t most_waiting, std::vector<std::string> ready);
  ChildPool(const ChildPool&) = delete;
  ChildPool& operator=(const ChildPool&) = delete;
  ~ChildPool();  // ends them all; nobody hears of it

  void start(ChildTask task);
  // Whether there was such a task.
  bool cancel(const std::string& id);

  // For one poll(): its descriptors, appended, and how long it may wait at most. Then what they have to say.
  void add_polled(std::vector<pollfd>& polled) const;
  int wait_ms(int longest_ms) const;
  void step();

 private:
  struct RunningChild;

  void launch(ChildTask task);
  Result<StartedChild> child_for(const ChildTask& task);
  Result<StartedChild> start_child(const std::vector<std::string>& arguments, bool is_asked);
  void make_ready();
  void end_ready();
  void start_waiting();

  std::string program_;
  size_t most_running_;
  size_t most_waiting_;
  std::vector<std::string> ready_arguments_;
  std::optional<StartedChild> ready_;
  bool wants_ready_ = false;
  std::list<std::unique_ptr<RunningChild>> running_;
  std::deque<ChildTask> waiting_;
};

}  // namespace aaco::serve
