// SPDX-License-Identifier: MIT
#include "device/ranges/profiler_ranges.h"

namespace aaco {

namespace {

std::vector<RangeListener> listeners_of_process() {
  std::vector<RangeListener> listeners;
  for (auto* const find : {nvtx_listener, roctx_listener}) {
    if (auto listener = find()) {
      listeners.push_back(std::move(*listener));
    }
  }
  return listeners;
}

}  // namespace

ProfilerRanges& ProfilerRanges::of_process() {
  static ProfilerRanges ranges(listeners_of_process());
  return ranges;
}

}  // namespace aaco
