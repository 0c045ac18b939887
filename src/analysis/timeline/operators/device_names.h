// SPDX-License-Identifier: MIT
// What the devices of a recording are called, from the properties that PyTorch's profiler writes. On ROCm its events
// number devices otherwise than its properties do: a device that is not listed has the name that all listed ones share.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "analysis/timeline/operators/operator_links.h"
#include "record/events/event_table.h"

namespace aaco {

class DeviceNames {
 public:
  explicit DeviceNames(const EventTable& events);

  // Of the devices that a rank's operators launched on; "" where that is not recorded, or they differ.
  std::string name(const EventTable& events, const RankOperators& rank) const;

  // Whether one is named, used or not.
  bool has_device(uint32_t recording) const;

  // All that are named, each once.
  std::set<std::string> all() const;

 private:
  std::map<std::pair<uint32_t, int64_t>, std::string> names_;  // by recording and device
  std::map<uint32_t, std::string> shared_names_;               // of all devices of a recording; "" where they differ
};

}  // namespace aaco
