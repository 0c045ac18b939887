// SPDX-License-Identifier: MIT
#include "monitor/gpu_sources.h"

#include <cstddef>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>

namespace aaco {

namespace {

// By device, the place of its reading.
using Sources = std::map<std::string, size_t>;

std::set<std::string> devices_of(const CollectorReading& reading) {
  std::set<std::string> devices;
  for (const GpuSampleRow& row : reading.rows.gpus) {
    devices.insert(row.device);
  }
  for (const auto& [device, gpu] : reading.totals.gpus()) {
    devices.insert(device);
  }
  return devices;
}

Sources find_sources(const std::vector<CollectorReading>& readings) {
  Sources sources;
  for (size_t i = 0; i < readings.size(); ++i) {
    for (const GpuSampleRow& row : readings[i].rows.gpus) {
      if (is_readable(row)) {
        sources.try_emplace(row.device, i);
      }
    }
  }
  for (size_t i = 0; i < readings.size(); ++i) {
    for (const std::string& device : devices_of(readings[i])) {
      sources.try_emplace(device, i);
    }
  }
  return sources;
}

}  // namespace

void keep_one_source(std::vector<CollectorReading>& readings) {
  const Sources sources = find_sources(readings);
  for (size_t i = 0; i < readings.size(); ++i) {
    CollectorReading& reading = readings[i];
    std::map<std::string, size_t> left;  // rows, by the collector that has their devices
    for (const std::string& device : devices_of(reading)) {
      const size_t source = sources.at(device);
      if (source == i) {
        continue;
      }
      reading.totals.hand_over(device, readings[source].totals);
      if (std::erase_if(reading.rows.gpus, [&](const GpuSampleRow& row) { return row.device == device; }) > 0) {
        ++left[readings[source].collector];
      }
    }
    for (const auto& [collector, count] : left) {
      reading.why += fmt::format("{}{} {} left to {}", reading.why.empty() ? "" : "; ", count,
                                 count == 1 ? "GPU is" : "GPUs are", collector);
    }
  }
}

}  // namespace aaco
