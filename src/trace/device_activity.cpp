// SPDX-License-Identifier: MIT
#include "trace/device_activity.h"

#include <utility>

namespace aaco {

void ActivitySink::push(const ActivityRecord* records, size_t count) {
  const std::lock_guard lock(mutex_);
  records_.insert(records_.end(), records, records + count);
}

uint32_t ActivitySink::intern(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto found = ids_.find(name);
  if (found != ids_.end()) {
    return found->second;
  }
  const auto id = static_cast<uint32_t>(names_.size());
  names_.emplace_back(name);
  ids_.emplace(names_.back(), id);
  return id;
}

void ActivitySink::dropped(uint64_t count) {
  const std::lock_guard lock(mutex_);
  dropped_ += count;
}

std::vector<ActivityRecord> ActivitySink::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(records_, {});
}

std::string ActivitySink::name(uint32_t id) const {
  const std::lock_guard lock(mutex_);
  return names_[id];
}

uint64_t ActivitySink::dropped_count() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace aaco
