// SPDX-License-Identifier: MIT
// Captured work of the CPU backend and its replay: one lane per captured stream, each in the order of its capture, with
// waits where one lane depends on another. The first lane runs on the thread of the launching stream, the others on
// threads of the graph, so that branches really run side by side.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "device/cpu/commands/progress.h"
#include "device/cpu/commands/task.h"
#include "device/device.h"

namespace aaco {

// Done when so many nodes of that lane are.
struct LaneMark {
  uint32_t lane = 0;
  uint64_t nodes = 0;
};

struct LaneNode {
  Task task;
  uint32_t id = 0;              // counts nodes in the order of their capture
  std::vector<LaneMark> after;  // of other lanes
};

using LaneNodes = std::vector<LaneNode>;

class GraphProgram {
 public:
  // A native stream id for each lane but the first. Throws std::system_error where no thread is to be had.
  GraphProgram(std::vector<LaneNodes> lanes, const std::vector<uint64_t>& streams, ActivityHub& hub);
  ~GraphProgram();
  GraphProgram(const GraphProgram&) = delete;
  GraphProgram& operator=(const GraphProgram&) = delete;

  // All of it, by the calling thread and the graph's own; one run at a time. Errors: the first of its tasks'; what had
  // not begun is left out.
  Result<void> run(const TaskContext& context, uint64_t correlation);
  void abandon(const Error& failure);

  int64_t kernels() const;
  // For a capture that launches this graph.
  const std::deque<LaneNodes>& lanes() const { return nodes_; }

  // The place in a stream of the latest launch, which the next one comes after.
  std::mutex launch_mutex;
  Mark last_launch;

 private:
  struct Lane {
    Progress progress;  // counts nodes over all runs
    std::optional<ActivityLog> log;
    uint64_t stream = 0;
    std::thread thread;
  };

  void run_lane(size_t lane, uint64_t run, const TaskContext& context);
  void serve(size_t lane);
  void keep_failure(Error error);
  void stop();

  std::deque<LaneNodes> nodes_;
  std::deque<Lane> lanes_;
  Progress started_;  // runs
  uint64_t runs_ = 0;
  bool stop_ = false;  // with the next start; below: of the current run
  TaskContext context_;
  uint64_t correlation_ = kNoCorrelation;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  Error failure_;
};

class CpuGraph : public Graph {
 public:
  explicit CpuGraph(std::shared_ptr<GraphProgram> program) : program_(std::move(program)) {}

  int64_t kernels() const override { return program_->kernels(); }
  const std::shared_ptr<GraphProgram>& program() const { return program_; }

 private:
  std::shared_ptr<GraphProgram> program_;
};

}  // namespace aaco
