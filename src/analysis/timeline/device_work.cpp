// SPDX-License-Identifier: MIT
#include "analysis/timeline/device_work.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "analysis/timeline/names/work_names.h"

namespace aaco {

namespace {

bool is_work(const EventTable& events, size_t i) {
  const EventKind kind = events.kind[i];
  return events.shape[i] == EventShape::kSlice &&
         (kind == EventKind::kKernel || kind == EventKind::kCopy || kind == EventKind::kSet);
}

// The class of what is work; of kernels known by name, each name looked at once.
class WorkClasses {
 public:
  explicit WorkClasses(const EventTable& events) : events_(events), known_(events.strings.size(), kUnknown) {}

  WorkClass work_class(size_t i) {
    switch (events_.kind[i]) {
      case EventKind::kCopy:
        // Of a collective, where copy engines do it and whoever recorded that says so.
        return of_kernel(events_.name[i]) == WorkClass::kCommunication ? WorkClass::kCommunication : WorkClass::kCopy;
      case EventKind::kKernel:
        return is_collective(events_.category[i]) ? WorkClass::kCommunication : of_kernel(events_.name[i]);
      default:
        return WorkClass::kComputation;
    }
  }

 private:
  static constexpr uint8_t kUnknown = kWorkClasses;

  // By Kineto's category; neighbours have the same.
  bool is_collective(StringId category) {
    if (category != category_) {
      category_ = category;
      is_collective_ = events_.strings[category] == "collective_comm";
    }
    return is_collective_;
  }

  WorkClass of_kernel(StringId name) {
    uint8_t& known = known_[name];
    if (known == kUnknown) {
      known = static_cast<uint8_t>(is_communication(events_.strings[name]) ? WorkClass::kCommunication
                                                                           : WorkClass::kComputation);
    }
    return static_cast<WorkClass>(known);
  }

  const EventTable& events_;
  std::vector<uint8_t> known_;
  StringId category_ = kEmptyString;
  bool is_collective_ = false;
};

// Slices whose id came again. They were linked to the nearest call before them, which is right where each call's work
// began before the next call with the id. Where it did not, some calls have several slices and earlier ones have none.
class ReusedIds {
 public:
  ReusedIds(const LaunchIndex& launches, std::vector<DeviceWork>& devices) : launches_(launches), devices_(devices) {}

  void add(uint32_t device, size_t slice, EventRow call) { uses_.push_back({call, device, slice}); }

  void unlink_ambiguous() {
    std::sort(uses_.begin(), uses_.end(), [](const Use& a, const Use& b) { return a.call < b.call; });
    for (size_t i = 0; i < uses_.size(); ++i) {
      const std::span<const EventRow> calls = launches_.same_id(uses_[i].call);
      if (seen_.insert(calls.front()).second) {
        look_at(calls);
      }
    }
  }

 private:
  struct Use {
    EventRow call;
    uint32_t device;
    size_t slice;
  };

  void look_at(std::span<const EventRow> calls) {
    uint64_t without = 0;  // calls so far whose work is not found
    for (size_t i = 0; i < calls.size(); ++i) {
      const auto [first, behind] = std::equal_range(uses_.begin(), uses_.end(), Use{calls[i], 0, 0},
                                                    [](const Use& a, const Use& b) { return a.call < b.call; });
      const bool has_inner = i + 1 < calls.size() && launches_.innermost(calls[i]) != calls[i];
      if (first == behind) {
        without += has_inner ? 0 : 1;
      } else if (behind - first > 1 && without > 0) {
        std::for_each(first, behind, [&](const Use& use) {
          DeviceSlice& slice = devices_[use.device].slices[use.slice];
          slice.call = kNoEvent;
          slice.link = LaunchLink::kAmbiguous;
        });
      }
    }
  }

  const LaunchIndex& launches_;
  std::vector<DeviceWork>& devices_;
  std::vector<Use> uses_;
  std::set<EventRow> seen_;  // the first call with each id
};

}  // namespace

std::vector<DeviceWork> device_work(const EventTable& events, const LaunchIndex& launches) {
  std::map<std::tuple<int64_t, int64_t, uint32_t>, uint32_t> numbers;
  for (const Track& track : events.tracks) {
    numbers[{track.rank, track.device, track.recording}] = 0;
  }
  std::vector<DeviceWork> devices(numbers.size());
  uint32_t next = 0;
  for (auto& [key, number] : numbers) {
    std::tie(devices[next].rank, devices[next].device, devices[next].recording) = key;
    number = next++;
  }
  std::vector<uint32_t> device_of;
  for (const Track& track : events.tracks) {
    device_of.push_back(numbers.at({track.rank, track.device, track.recording}));
  }
  std::vector<size_t> counts(devices.size());
  for (size_t i = 0; i < events.size(); ++i) {
    counts[device_of[events.track[i]]] += is_work(events, i) ? 1 : 0;
  }
  for (size_t device = 0; device < devices.size(); ++device) {
    devices[device].slices.reserve(counts[device]);
  }
  WorkClasses classes(events);
  ReusedIds reused(launches, devices);
  for (size_t i = 0; i < events.size(); ++i) {
    DeviceWork& device = devices[device_of[events.track[i]]];
    const auto row = static_cast<EventRow>(i);
    if (is_work(events, i)) {
      const LaunchMatch launch = launches.launch_of(i);
      const bool linked = launch.link == LaunchLink::kLinked;
      device.slices.push_back({row, linked ? launch.call : kNoEvent, classes.work_class(i), launch.link});
      if (launch.id_came_again) {
        reused.add(device_of[events.track[i]], device.slices.size() - 1, launch.call);
      }
    } else if (events.kind[i] == EventKind::kDeviceSync) {
      device.waits.push_back(row);
    }
  }
  reused.unlink_ambiguous();
  std::erase_if(devices, [](const DeviceWork& device) { return device.slices.empty(); });
  return devices;
}

}  // namespace aaco
