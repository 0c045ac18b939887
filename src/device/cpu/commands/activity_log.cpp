// SPDX-License-Identifier: MIT
#include "device/cpu/commands/activity_log.h"

namespace aaco {

namespace {

constexpr size_t kRecordsAtOnce = 512;

}  // namespace

Result<void> ActivityHub::attach(ActivitySink& sink) {
  const std::lock_guard lock(mutex_);
  ActivitySink* none = nullptr;
  if (!sink_.compare_exchange_strong(none, &sink)) {
    return Error{ErrorKind::kUnavailable, "the activity of the CPU's streams is being collected already",
                 "end the other collector first"};
  }
  return {};
}

void ActivityHub::deliver() {
  const std::lock_guard lock(mutex_);
  if (ActivitySink* sink = sink_.load()) {
    for (ActivityLog* log : logs_) {
      log->deliver_to(*sink, false);
    }
  }
}

void ActivityHub::detach() {
  const std::lock_guard lock(mutex_);
  // First nobody may append; whoever still does holds the log's mutex, for which deliver_to() waits.
  if (ActivitySink* sink = sink_.exchange(nullptr)) {
    for (ActivityLog* log : logs_) {
      log->deliver_to(*sink, true);
    }
  }
}

ActivityLog::ActivityLog(ActivityHub& hub) : hub_(hub) {
  const std::lock_guard lock(hub_.mutex_);
  hub_.logs_.insert(this);
}

ActivityLog::~ActivityLog() {
  const std::lock_guard lock(hub_.mutex_);
  hub_.logs_.erase(this);
  if (ActivitySink* sink = hub_.sink_.load()) {
    deliver_to(*sink, true);
  }
}

void ActivityLog::append(ActivityRecord record, const char* name) {
  const std::lock_guard lock(mutex_);
  ActivitySink* sink = hub_.sink_.load(std::memory_order_acquire);
  if (sink == nullptr) {
    return;  // detached meanwhile
  }
  auto known = names_.find(name);
  if (known == names_.end()) {
    known = names_.emplace(name, sink->intern(name)).first;
  }
  record.name = known->second;
  records_.push_back(record);
  if (records_.size() >= kRecordsAtOnce) {
    sink->push(records_);
    records_.clear();
  }
}

void ActivityLog::deliver_to(ActivitySink& sink, bool last) {
  const std::lock_guard lock(mutex_);
  if (!records_.empty()) {
    sink.push(records_);
    records_.clear();
  }
  if (last) {
    names_.clear();
  }
}

}  // namespace aaco
