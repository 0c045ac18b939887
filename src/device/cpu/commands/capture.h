// SPDX-License-Identifier: MIT
// Work that is being captured: nodes as streams enqueue them, with what they come after, until they become a graph.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "device/cpu/commands/cpu_graph.h"

namespace aaco {

class Capture {
 public:
  // False once it has ended: its streams do work again.
  bool active() const { return active_.load(std::memory_order_acquire); }
  // The lane of a stream that joins; the origin's is 0.
  uint32_t add_lane();
  // `after` are nodes; returns the new one.
  uint32_t add(uint32_t lane, Task task, std::vector<uint32_t> after);
  // The nodes of another graph: its first lane's on `lane`, the others on new ones. Returns what comes last in each.
  std::vector<uint32_t> add_graph(uint32_t lane, const GraphProgram& graph, const std::vector<uint32_t>& after);
  // The first is returned by finish().
  void fail(Error error);

  // Ends it. `last` are the nodes that the origin's stream came to. Errors: kUsage where some work is not joined to
  // them, or the capture was broken.
  Result<std::vector<LaneNodes>> finish(const std::vector<uint32_t>& last, const OpFunctions& ops);

 private:
  struct Node {
    Task task;
    uint32_t lane = 0;
    uint64_t place = 0;  // in its lane
    std::vector<uint32_t> after;
  };

  uint32_t add_locked(uint32_t lane, Task task, std::vector<uint32_t> after);
  Result<void> check_joined(const std::vector<uint32_t>& last, const OpFunctions& ops) const;

  std::atomic<bool> active_ = true;
  std::mutex mutex_;
  std::vector<Node> nodes_;
  std::vector<uint64_t> lane_sizes_ = {0};
  Result<void> outcome_;
};

// Where a capturing stream stands in it.
struct CapturePosition {
  std::shared_ptr<Capture> capture;
  uint32_t lane = 0;
  std::vector<uint32_t> last;  // what the next node comes after
  bool origin = false;
};

}  // namespace aaco
