// SPDX-License-Identifier: MIT
#include "analysis/timeline/device_names.h"

#include <set>

#include "base/json.h"

namespace aaco {

DeviceNames::DeviceNames(const EventTable& events) {
  for (const TraceMetadata& one : events.metadata) {
    if (events.strings[one.key] != "deviceProperties") {
      continue;
    }
    const Result<Json> json = parse_json(events.strings[one.value], "deviceProperties");
    if (!json || !json->is_array()) {
      continue;
    }
    for (const Json& device : *json) {
      if (device.is_object() && device.contains("id") && device["id"].is_number_integer() && device.contains("name") &&
          device["name"].is_string()) {
        names_[{one.recording, device["id"].get<int64_t>()}] = device["name"].get<std::string>();
      }
    }
  }
}

std::string DeviceNames::of(const EventTable& events, const RankOperators& rank) const {
  std::set<int64_t> devices;
  for (const LinkedSlice& slice : rank.slices) {
    devices.insert(events.tracks[events.track[slice.event]].device);
  }
  std::set<std::string> names;
  for (const int64_t device : devices) {
    const auto found = names_.find({rank.recording, device});
    names.insert(found == names_.end() ? std::string() : found->second);
  }
  return names.size() == 1 ? *names.begin() : "";
}

}  // namespace aaco
