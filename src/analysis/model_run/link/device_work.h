// SPDX-License-Identifier: MIT
// What a device did in the profiled inferences of one process, each kernel, copy and set tied to the node of the model
// that launched it.
//
// A record of a device carries the number of the call that launched it, and that call has a thread and a time on the
// session's clock. The host's profiler (ONNX Runtime's) gives each node's thread and its time in whole microseconds,
// both cut: a node written as [s, s + d] ran from within [s, s + 1] to within [s + d, s + d + 2]. It ran for sure in
// [s + 1 + e, s + d - e], where e is the error between the two clocks. A thread does one thing at a time, so a call
// that was under way at any moment of that came from the node; of nodes within each other, from the innermost. A call
// that meets only the rest of a node's interval may have come from it or not: it is no link.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "record/events/event_table.h"
#include "record/rows.h"

namespace aaco {

struct ProfiledProcess {
  int64_t process = 0;
  std::span<const KernelRow> nodes;          // the host's rows of this process
  std::span<const IterationRow> iterations;  // of this process
  int64_t clock_error_ns = 0;                // between the profiler's clock and that of the device's records
};

// Rows of the device's runtime (kernels, copies, sets, launching and waiting calls), by start, of the profiled
// inferences: what was launched in one, or ran in it and shows no launch. `events`: what the collector recorded in this
// process, device and host.
std::vector<KernelRow> device_work(const EventTable& events, const ProfiledProcess& process);

// Whether the row's node is known. False for rows of the host's profiler: they name their nodes themselves.
inline bool is_linked(const KernelRow& row) { return row.link == KernelLink::kCorrelation; }

}  // namespace aaco
