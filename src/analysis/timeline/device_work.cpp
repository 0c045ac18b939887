// SPDX-License-Identifier: MIT
#include "analysis/timeline/device_work.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace aaco {

namespace {

std::optional<WorkClass> class_of(const EventTable& events, size_t i,
                                  std::unordered_map<StringId, bool>& communication) {
  if (events.shape[i] != EventShape::kSlice) {
    return std::nullopt;
  }
  switch (events.kind[i]) {
    case EventKind::kKernel: {
      const auto [found, added] = communication.try_emplace(events.name[i], false);
      if (added) {
        found->second = is_communication(events.strings[events.name[i]]);
      }
      return found->second ? WorkClass::kCommunication : WorkClass::kComputation;
    }
    case EventKind::kSet:
      return WorkClass::kComputation;
    case EventKind::kCopy:
      return WorkClass::kCopy;
    default:
      return std::nullopt;
  }
}

}  // namespace

const char* work_class_name(WorkClass work) {
  static constexpr const char* kNames[kWorkClasses] = {"computation", "communication", "copy"};
  return kNames[static_cast<size_t>(work)];
}

bool is_communication(std::string_view kernel_name) {
  static constexpr std::array<std::string_view, 6> kMarks = {"nccl",      "msccl",     "oneccl", "cross_device_reduce",
                                                             "allreduce", "all_reduce"};
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  return std::any_of(kMarks.begin(), kMarks.end(), [&](std::string_view mark) {
    return std::search(kernel_name.begin(), kernel_name.end(), mark.begin(), mark.end(), same) != kernel_name.end();
  });
}

bool crosses_to_host(std::string_view copy_name) {
  static constexpr std::array<std::string_view, 4> kMarks = {"HtoD", "DtoH", "HostToDevice", "DeviceToHost"};
  return std::any_of(kMarks.begin(), kMarks.end(),
                     [&](std::string_view mark) { return copy_name.find(mark) != std::string_view::npos; });
}

std::vector<DeviceWork> device_work(const EventTable& events) {
  std::map<std::tuple<int64_t, int64_t, uint32_t>, DeviceWork> devices;
  std::unordered_map<StringId, bool> communication;
  for (size_t i = 0; i < events.size(); ++i) {
    const auto work = class_of(events, i, communication);
    if (!work && events.kind[i] != EventKind::kDeviceSync) {
      continue;
    }
    const Track& track = events.tracks[events.track[i]];
    DeviceWork& device = devices[{track.rank, track.device, track.recording}];
    device.recording = track.recording;
    device.rank = track.rank;
    device.device = track.device;
    if (work) {
      device.slices.push_back({{events.start_ns[i], events.end_ns(i)}, *work, i});
    } else {
      device.waits.push_back(i);
    }
  }
  std::vector<DeviceWork> ordered;
  for (auto& [key, device] : devices) {
    if (!device.slices.empty()) {
      ordered.push_back(std::move(device));
    }
  }
  return ordered;
}

}  // namespace aaco
