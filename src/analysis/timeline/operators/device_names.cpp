// SPDX-License-Identifier: MIT
#include "analysis/timeline/operators/device_names.h"

#include <cstdint>
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

bool DeviceNames::has_device(uint32_t recording) const {
  const auto found = names_.lower_bound({recording, INT64_MIN});
  return found != names_.end() && found->first.first == recording;
}

std::set<std::string> DeviceNames::all() const {
  std::set<std::string> all;
  for (const auto& [place, name] : names_) {
    all.insert(name);
  }
  return all;
}

std::string DeviceNames::of(const EventTable& events, const RankOperators& rank) const {
  std::set<int64_t> devices;
  for (const LinkedSlice& slice : rank.slices) {
    devices.insert(events.tracks[events.track[slice.event]].device);
  }
  std::set<std::string> listed;
  for (auto one = names_.lower_bound({rank.recording, INT64_MIN}); one != names_.end(); ++one) {
    if (one->first.first != rank.recording) {
      break;
    }
    listed.insert(one->second);
  }
  std::set<std::string> names;
  for (const int64_t device : devices) {
    const auto found = names_.find({rank.recording, device});
    names.insert(found != names_.end() ? found->second : listed.size() == 1 ? *listed.begin() : std::string());
  }
  return names.size() == 1 ? *names.begin() : "";
}

}  // namespace aaco
