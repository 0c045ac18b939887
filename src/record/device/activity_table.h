// SPDX-License-Identifier: MIT
// What a collector hands over, as an event table in memory.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>

#include "record/device/activity_rows.h"
#include "record/device/activity_sink.h"
#include "record/events/event_table.h"

namespace aaco {

class ActivityTable : public ActivitySink {
 public:
  ActivityTable() : rows_(store_) {}

  void push(std::span<const ActivityRecord> batch) override;  // a lock a batch
  StringId intern(std::string_view name) override;
  void dropped(uint64_t count) override;

  // After the collector's flush: the rows since the last call, of one recording without a name; and of all that was
  // lost so far the count. A name has the same number in each table.
  EventTable take();
  uint64_t dropped_count() const;

 private:
  struct Store {
    Store() { events.recordings.push_back({"", "aaco"}); }
    StringId intern(std::string_view text) { return events.strings.intern(text); }
    uint32_t add_track(const Track& track) {
      events.tracks.push_back(track);
      return static_cast<uint32_t>(events.tracks.size() - 1);
    }
    void add(const TraceEvent& event, std::span<const Argument> arguments) { events.add(event, arguments); }
    EventTable events;
  };

  mutable std::mutex mutex_;
  Store store_;
  ActivityRows<Store> rows_;
  uint64_t dropped_ = 0;
};

}  // namespace aaco
