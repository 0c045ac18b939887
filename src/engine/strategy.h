// SPDX-License-Identifier: MIT
// What differs between a run of a model, a run of a workload, a probe and a sweep: the orchestrator calls it in this
// order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "session/close_session.h"

namespace aaco {

class NodeGroup;
class Orchestrator;

// What the session of a strategy is made with.
struct SessionStart {
  std::string sessions;  // folder
  SessionInfo info;
  std::vector<int> processors;  // of its processes; empty: wherever the parent may run
  NodeGroup* nodes = nullptr;   // of its ranks; outlives it. Null: all are of this machine
  bool kernel_plane = false;    // recorded from behind Strategy::start() until before store()
};

// What a strategy has a call for but does not need is left as it is here.
class Strategy {
 public:
  virtual ~Strategy() = default;
  // Finds out what can be told to be wrong before there is a session. An error has left nothing behind, and ends it.
  virtual Result<SessionStart> prepare() = 0;
  // Everything before the first of the processes that take turns: the plan, telemetry, a check.
  virtual Result<void> start(Orchestrator& /*run*/) { return {}; }
  virtual int64_t processes() const { return 0; }
  // Process `process` of processes(), and those that belong to it.
  virtual Result<void> run_process(Orchestrator& /*run*/, int64_t /*process*/) { return {}; }
  // One more under a vendor's profiler, where it was asked for and no other strategy takes turns with this one.
  virtual Result<void> run_tool(Orchestrator& /*run*/) { return {}; }
  // Into the session what there is by now: all, or what was recorded before an error or an interrupt.
  virtual Result<SessionEnd> store(Orchestrator& run) = 0;
};

}  // namespace aaco
