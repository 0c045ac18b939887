// SPDX-License-Identifier: MIT
#include "workload/threaded_dispatch.h"

#include <atomic>
#include <barrier>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/process/thread_start.h"
#include "workload/command_ranges.h"

namespace aaco {

namespace {

// A collective and a host step belong to no one stream: the threads of all streams meet before and after them. Between
// two such meetings each thread goes through its own stream's commands.
struct Stage {
  std::vector<std::vector<const Command*>> commands;  // by stream
  const Command* joint = nullptr;                     // done by one thread when all have come here
};

class ThreadedDispatcher final : public Dispatcher {
 public:
  ThreadedDispatcher(const Program& program, CommandIssuer issuer, DispatchRanges ranges)
      : first_(program.commands().data()),
        ranges_(ranges),
        issuer_(std::move(issuer)),
        recorded_(static_cast<size_t>(program.events())),
        meeting_(program.streams()),
        round_(program.streams() + 1) {
    stages_.push_back({std::vector<std::vector<const Command*>>(static_cast<size_t>(program.streams())), nullptr});
    for (const Command& command : program.commands()) {
      if (command.kind == CommandKind::kCollective || command.kind == CommandKind::kHostStep) {
        stages_.back().joint = &command;
        stages_.push_back({std::vector<std::vector<const Command*>>(static_cast<size_t>(program.streams())), nullptr});
      } else {
        stages_.back().commands[static_cast<size_t>(command.stream)].push_back(&command);
      }
    }
  }

  // Errors: kResource where there are not so many threads.
  Result<void> start(int32_t streams) {
    for (int32_t stream = 0; stream < streams; ++stream) {
      auto thread = start_thread([this, stream] { serve(static_cast<size_t>(stream)); });
      if (!thread) {
        for (int32_t missing = stream; missing < streams; ++missing) {
          round_.arrive_and_drop();  // nobody waits for them at the end
        }
        return thread.error();
      }
      threads_.push_back(std::move(*thread));
    }
    return {};
  }

  ~ThreadedDispatcher() override {
    stop_ = true;
    round_.arrive_and_wait();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }
  ThreadedDispatcher(const ThreadedDispatcher&) = delete;
  ThreadedDispatcher& operator=(const ThreadedDispatcher&) = delete;
  ThreadedDispatcher(ThreadedDispatcher&&) = delete;
  ThreadedDispatcher& operator=(ThreadedDispatcher&&) = delete;

  Result<void> enqueue() override {
    failure_.reset();
    ++iteration_;
    round_.arrive_and_wait();  // begins
    round_.arrive_and_wait();  // has ended
    return failure_ ? Result<void>(*failure_) : Result<void>();
  }

 private:
  void serve(size_t stream) {
    std::optional<RangeWalker> walker;
    if (ranges_.commands != nullptr) {
      walker.emplace(*ranges_.commands, *ranges_.ranges);
    }
    for (;;) {
      round_.arrive_and_wait();
      if (stop_) {
        return;
      }
      for (const Stage& stage : stages_) {
        for (const Command* command : stage.commands[stream]) {
          if (walker) {
            walker->at(static_cast<size_t>(command - first_));
          }
          issue_in_order(*command);
        }
        if (stage.joint != nullptr) {
          meeting_.arrive_and_wait();
          if (stream == 0) {
            keep(issuer_.issue(*stage.joint));
          }
          meeting_.arrive_and_wait();
        }
      }
      if (walker) {
        walker->end();
      }
      round_.arrive_and_wait();
    }
  }

  void issue_in_order(const Command& command) {
    if (command.kind == CommandKind::kWait) {
      std::atomic<int64_t>& recorded = recorded_[static_cast<size_t>(command.index)];
      for (int64_t seen = recorded.load(); seen < iteration_; seen = recorded.load()) {
        recorded.wait(seen);
      }
    }
    keep(issuer_.issue(command));
    if (command.kind == CommandKind::kRecord) {
      recorded_[static_cast<size_t>(command.index)] = iteration_;
      recorded_[static_cast<size_t>(command.index)].notify_all();
    }
  }

  void keep(const Result<void>& outcome) {
    if (!outcome) {
      const std::lock_guard lock(mutex_);
      failure_ = failure_ ? failure_ : outcome.error();
    }
  }

  const Command* first_;
  DispatchRanges ranges_;  // without commands: nobody listens
  CommandIssuer issuer_;
  std::vector<Stage> stages_;
  std::vector<std::atomic<int64_t>> recorded_;  // the last iteration in which the event was recorded
  int64_t iteration_ = 0;
  bool stop_ = false;
  std::mutex mutex_;
  std::optional<Error> failure_;
  std::barrier<> meeting_;
  std::barrier<> round_;  // the caller and all threads
  std::vector<std::thread> threads_;
};

}  // namespace

Result<std::unique_ptr<Dispatcher>> make_threaded_dispatcher(const Program& program, CommandIssuer issuer,
                                                             DispatchRanges ranges) {
  auto dispatcher = std::make_unique<ThreadedDispatcher>(program, std::move(issuer), ranges);
  AACO_TRY(dispatcher->start(program.streams()));
  return std::unique_ptr<Dispatcher>(std::move(dispatcher));
}

}  // namespace aaco
