// SPDX-License-Identifier: MIT
// What the CPU's streams did, record by record, while a collector is attached; one atomic load per command while not.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "base/result.h"
#include "record/device/activity_sink.h"

namespace aaco {

class ActivityLog;

// The one place where a collector attaches to all streams of the CPU backend.
class ActivityHub {
 public:
  // Errors: kUnavailable where a collector is attached already.
  Result<void> attach(ActivitySink& sink);
  // What the logs hold goes to the sink.
  void deliver();
  // Delivers, and the sink is not touched any more.
  void detach();

  bool attached() const { return sink_.load(std::memory_order_relaxed) != nullptr; }
  // Of a command that is enqueued now.
  uint64_t next_correlation() {
    return attached() ? correlation_.fetch_add(1, std::memory_order_relaxed) : kNoCorrelation;
  }

 private:
  friend class ActivityLog;

  std::atomic<ActivitySink*> sink_ = nullptr;
  std::atomic<uint64_t> correlation_ = 1;
  std::mutex mutex_;  // of logs_, taken before any log's own
  std::set<ActivityLog*> logs_;
};

// Records of one stream, handed on in their order, some hundred at a time. Any thread may append.
class ActivityLog {
 public:
  explicit ActivityLog(ActivityHub& hub);
  ~ActivityLog();
  ActivityLog(const ActivityLog&) = delete;
  ActivityLog& operator=(const ActivityLog&) = delete;

  bool wanted() const { return hub_.attached(); }
  // `name` must live as long as the program or the log.
  void append(ActivityRecord record, const char* name);

 private:
  friend class ActivityHub;
  void deliver_to(ActivitySink& sink, bool last);

  ActivityHub& hub_;
  std::mutex mutex_;
  std::vector<ActivityRecord> records_;
  std::map<const char*, uint32_t> names_;  // as the attached sink numbers them
};

}  // namespace aaco
