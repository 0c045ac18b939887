// SPDX-License-Identifier: MIT
// Activity records as rows of a store of events. A row on the stream or thread of the row before takes no look-up.
//
// Tracks are "device 0", "stream 7" with both numbers, as the device's runtime counts them, and "host", "thread 12";
// categories and arguments are in device_rows.h.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <span>

#include "record/device/activity_record.h"
#include "record/device/device_rows.h"
#include "record/events/event_table.h"

namespace aaco {

// `Store` has intern(text), add_track(track) and add(event, arguments), each giving a number or nothing.
template <class Store>
class ActivityRows {
 public:
  // Texts that rows need are the store's first ones from now on.
  explicit ActivityRows(Store& store) {
    for (size_t i = 0; i < kCategories.size(); ++i) {
      categories_[i] = store.intern(kCategories[i]);
    }
    for (size_t i = 0; i < kKeys.size(); ++i) {
      keys_[i] = store.intern(kKeys[i]);
    }
  }

  void add(Store& store, const ActivityRecord& record) {
    if (record.kind == ActivityKind::kThreadName) {
      thread_names_[record.stream] = record.name;
      return;
    }
    const auto number = static_cast<size_t>(record.kind);
    const EventKind kind = kKinds[number];
    const bool on_device = is_on_device(kind);
    const uint32_t track = track_of(store, {on_device, on_device ? record.device : 0, record.stream});
    // A range's number joins it to nothing.
    const bool joins = record.correlation != kNoCorrelation && kind != EventKind::kHostRange;
    const int64_t correlation = joins ? static_cast<int64_t>(record.correlation) : kNoId;
    std::array<Argument, kKeys.size()> arguments;
    const size_t count = fill_arguments(record, arguments);
    store.add({record.start_ns, record.end_ns - record.start_ns, correlation, kNoId, record.name, categories_[number],
               track, kind, kShapes[number]},
              std::span<const Argument>(arguments.data(), count));
  }
  // The store has none any more.
  void forget_tracks() {
    tracks_.clear();
    latest_ = {};
  }

 private:
  struct Place {
    bool on_device = false;
    uint32_t device = 0;
    uint64_t stream = 0;  // of the host the thread
    friend auto operator<=>(const Place&, const Place&) = default;
  };
  struct LatestTrack {
    Place place;
    uint32_t track = kNoTrack;
  };
  static constexpr uint32_t kNoTrack = UINT32_MAX;
  // By ActivityKind.
  static constexpr std::array<EventKind, 10> kKinds{
      EventKind::kKernel,   EventKind::kCopy,      EventKind::kSet,       EventKind::kHostCall,  EventKind::kHostCall,
      EventKind::kHostCall, EventKind::kHostRange, EventKind::kHostRange, EventKind::kHostRange, EventKind::kKernel};
  static constexpr std::array<EventShape, 10> kShapes{
      EventShape::kSlice, EventShape::kSlice, EventShape::kSlice,   EventShape::kSlice,   EventShape::kSlice,
      EventShape::kSlice, EventShape::kSlice, EventShape::kInstant, EventShape::kInstant, EventShape::kSlice};
  static constexpr std::array<const char*, 10> kCategories{"kernel",
                                                           "copy",
                                                           "set",
                                                           device_row::kLaunch,
                                                           device_row::kSynchronize,
                                                           device_row::kCapture,
                                                           device_row::kRange,
                                                           device_row::kRange,
                                                           device_row::kRange,
                                                           device_row::kGraph};
  enum Key : size_t {
    kBytes,
    kGraphNode,
    kRegisters,
    kBlockThreads,
    kSharedBytes,
    kLocalBytes,
    kBlocks,
    kCapturedIn,
    kDomain
  };
  static constexpr std::array<const char*, 9> kKeys{
      device_row::kBytes,        device_row::kGraphNode,   device_row::kRegisters,
      device_row::kBlockThreads, device_row::kSharedBytes, device_row::kLocalBytes,
      device_row::kLaunchBlocks, device_row::kCapturedIn,  device_row::kDomain};

  size_t fill_arguments(const ActivityRecord& record, std::array<Argument, kKeys.size()>& arguments) const {
    size_t count = 0;
    const auto add = [&](Key key, uint64_t value) { arguments[count++] = {keys_[key], ArgumentType::kInteger, value}; };
    if (record.kind == ActivityKind::kCopy || record.kind == ActivityKind::kSet) {
      add(kBytes, record.bytes);
    }
    if (record.graph_node != 0) {
      add(kGraphNode, record.graph_node);
    }
    if (record.kernel.block_threads > 0) {
      add(kRegisters, record.kernel.registers);
      add(kBlockThreads, record.kernel.block_threads);
      add(kSharedBytes, record.kernel.shared_bytes);
      add(kLocalBytes, record.kernel.local_bytes);
    }
    if (record.kernel.blocks > 0) {
      add(kBlocks, record.kernel.blocks);
    }
    if (record.label != kNoName) {
      const Key key = is_on_device(kKinds[static_cast<size_t>(record.kind)]) ? kCapturedIn : kDomain;
      arguments[count++] = {keys_[key], ArgumentType::kText, record.label};
    }
    return count;
  }

  uint32_t track_of(Store& store, const Place& place) {
    LatestTrack& latest = latest_[place.on_device ? 1 : 0];
    if (latest.track == kNoTrack || latest.place != place) {
      const auto track = tracks_.find(place);
      latest = {place, track != tracks_.end() ? track->second : add_track(store, place)};
    }
    return latest.track;
  }

  uint32_t add_track(Store& store, const Place& place) {
    const auto stream = static_cast<int64_t>(place.stream);
    Track track;
    if (place.on_device) {
      track.device = place.device;
      track.stream = stream;
    }
    track.process = store.intern(place.on_device ? fmt::format("device {}", place.device) : "host");
    track.thread = store.intern(fmt::format("{} {}", place.on_device ? "stream" : "thread", stream));
    track.process_name = track.process;
    track.thread_name = track.thread;
    if (const auto name = thread_names_.find(place.stream); !place.on_device && name != thread_names_.end()) {
      track.thread_name = name->second;
    }
    return tracks_.emplace(place, store.add_track(track)).first->second;
  }

  std::array<StringId, kCategories.size()> categories_{};
  std::array<StringId, kKeys.size()> keys_{};
  std::map<Place, uint32_t> tracks_;
  std::map<uint64_t, StringId> thread_names_;  // by thread
  std::array<LatestTrack, 2> latest_;          // of the host, of devices
};

}  // namespace aaco
