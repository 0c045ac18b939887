// SPDX-License-Identifier: MIT
#include "record/device/device_rows.h"

#include <algorithm>
#include <tuple>

namespace aaco {

bool is_launch_call(const EventTable& events, size_t event) {
  const std::string_view category = events.strings[events.category[event]];
  return events.kind[event] == EventKind::kHostCall && category != device_row::kSynchronize &&
         category != device_row::kCapture;
}

DeviceStream stream_of(const EventTable& events, size_t event) {
  const Track& track = events.tracks[events.track[event]];
  return {track.device == kNoId ? 0 : static_cast<uint32_t>(track.device),
          track.stream == kNoId ? events.track[event] : static_cast<uint64_t>(track.stream)};
}

KernelResources resources_of(const EventTable& events, size_t event) {
  KernelResources resources;
  for (size_t i = events.arguments.begin(event); i < events.arguments.end(event); ++i) {
    const Argument argument = events.arguments[i];
    const auto value = static_cast<uint32_t>(argument.bits);
    const std::string_view key = events.strings[argument.key];
    if (key == device_row::kRegisters) {
      resources.registers = value;
    } else if (key == device_row::kBlockThreads) {
      resources.block_threads = value;
    } else if (key == device_row::kSharedBytes) {
      resources.shared_bytes = value;
    } else if (key == device_row::kLocalBytes) {
      resources.local_bytes = value;
    } else if (key == device_row::kLaunchBlocks) {
      resources.blocks = argument.bits;
    }
  }
  return resources;
}

std::vector<EventRow> work_as_executed(const EventTable& events) {
  std::vector<EventRow> work;
  for (EventRow row = 0; row < events.size(); ++row) {
    if (is_device_work(events.kind[row])) {
      work.push_back(row);
    }
  }
  const auto order = [&](EventRow row) {
    return std::tuple(events.start_ns[row], events.end_ns(row), events.correlation[row]);
  };
  std::sort(work.begin(), work.end(), [&](EventRow a, EventRow b) { return order(a) < order(b); });
  return work;
}

}  // namespace aaco
