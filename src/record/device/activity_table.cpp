// SPDX-License-Identifier: MIT
#include "record/device/activity_table.h"

#include <utility>

namespace aaco {

void ActivityTable::push(std::span<const ActivityRecord> batch) {
  const std::lock_guard lock(mutex_);
  for (const ActivityRecord& record : batch) {
    rows_.add(store_, record);
  }
}

StringId ActivityTable::intern(std::string_view name) {
  const std::lock_guard lock(mutex_);
  return store_.intern(name);
}

void ActivityTable::dropped(uint64_t count) {
  const std::lock_guard lock(mutex_);
  dropped_ += count;
}

EventTable ActivityTable::take() {
  const std::lock_guard lock(mutex_);
  EventTable events = std::exchange(store_, Store()).events;
  for (StringId text = 0; text < events.strings.size(); ++text) {  // in their order: the numbers are the same
    store_.intern(events.strings[text]);
  }
  rows_.forget_tracks();
  events.losses.add(Loss::kDropped, dropped_);
  return events;
}

uint64_t ActivityTable::dropped_count() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace aaco
