// SPDX-License-Identifier: MIT
#include "analysis/timeline/operators/device_names.h"

#include <cstdint>
#include <set>

#include "base/json/json.h"

namespace aaco {

DeviceNames::DeviceNames(const EventTable& events) {
  for (const TraceMetadata& metadata : events.metadata) {
    if (events.strings[metadata.key] != "deviceProperties") {
      continue;
    }
    const Result<Json> json = parse_json(events.strings[metadata.value], "deviceProperties");
    if (!json || !json->is_array()) {
      continue;
    }
    for (const Json& device : *json) {
      if (device.is_object() && device.contains("id") && device["id"].is_number_integer() && device.contains("name") &&
          device["name"].is_string()) {
        names_[{metadata.recording, device["id"].get<int64_t>()}] = device["name"].get<std::string>();
      }
    }
  }
  for (const auto& [place, name] : names_) {
    const auto [shared, first] = shared_names_.try_emplace(place.first, name);
    if (!first && shared->second != name) {
      shared->second.clear();
    }
  }
}

bool DeviceNames::has_device(uint32_t recording) const {
  const auto position = names_.lower_bound({recording, INT64_MIN});
  return position != names_.end() && position->first.first == recording;
}

std::set<std::string> DeviceNames::all() const {
  std::set<std::string> all;
  for (const auto& [place, name] : names_) {
    all.insert(name);
  }
  return all;
}

std::string DeviceNames::name(const EventTable& events, const RankOperators& rank) const {
  std::set<int64_t> devices;
  for (const LinkedSlice& slice : rank.slices) {
    devices.insert(events.tracks[events.track[slice.event]].device);
  }
  const auto shared = shared_names_.find(rank.recording);
  std::set<std::string> names;
  for (const int64_t device : devices) {
    const auto name = names_.find({rank.recording, device});
    names.insert(name != names_.end() ? name->second : shared != shared_names_.end() ? shared->second : std::string());
  }
  return names.size() == 1 ? *names.begin() : "";
}

}  // namespace aaco
