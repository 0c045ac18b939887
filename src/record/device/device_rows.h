// SPDX-License-Identifier: MIT
// What a device did, as rows of an event table: how a collector's sink writes them (activity_sink.h), and how they are
// read.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "record/device/activity_record.h"
#include "record/events/event_row.h"
#include "record/events/event_table.h"

namespace aaco {

namespace device_row {
// Categories of calls of the host.
inline constexpr const char* kLaunch = "launch";
inline constexpr const char* kSynchronize = "synchronize";
inline constexpr const char* kCapture = "capture";  // begins or ends one
// Category of ranges and marks of the program.
inline constexpr const char* kRange = "nvtx";
// Category of a replayed graph as a whole.
inline constexpr const char* kGraph = "graph";
// What our collectors call a memory set.
inline constexpr const char* kSetName = "set";
// Names of copies by every collector, which analyses tell apart by them.
inline constexpr const char* kCopyToDevice = "copy host to device";
inline constexpr const char* kCopyFromDevice = "copy device to host";
// Arguments.
inline constexpr const char* kBytes = "bytes";  // of copies and sets
inline constexpr const char* kGraphNode = "graph node id";
inline constexpr const char* kCapturedIn = "captured in";  // the ranges around the launch that became the node
inline constexpr const char* kDomain = "domain";           // of a range
inline constexpr const char* kRegisters = "registers per thread";
inline constexpr const char* kBlocks = "blocks";
inline constexpr const char* kBlockThreads = "threads per block";
inline constexpr const char* kSharedBytes = "shared memory per block";
inline constexpr const char* kLocalBytes = "local memory per thread";
inline constexpr const char* kLaunchBlocks = "blocks";  // the size of the grid
}  // namespace device_row

// Kernels, copies and sets.
constexpr bool is_device_work(EventKind kind) {
  return kind == EventKind::kKernel || kind == EventKind::kCopy || kind == EventKind::kSet;
}
// A call of the host that can have started work.
bool is_launch_call(const EventTable& events, size_t event);

// Where work ran. A table of another profiler may not say: device 0 then, and the track for a stream.
struct DeviceStream {
  uint32_t device = 0;
  uint64_t stream = 0;
  friend auto operator<=>(const DeviceStream&, const DeviceStream&) = default;
};
DeviceStream stream_of(const EventTable& events, size_t event);

// All 0 where the row does not tell.
KernelResources resources_of(const EventTable& events, size_t event);

// Work by start; of one stream in its order.
std::vector<EventRow> work_as_executed(const EventTable& events);

}  // namespace aaco
