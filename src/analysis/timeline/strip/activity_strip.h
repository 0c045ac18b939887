// SPDX-License-Identifier: MIT
// What each device did over time, coarse enough to be drawn: one word for each part of the time.
#pragma once

#include <cstdint>
#include <vector>

#include "base/text/enum_words.h"
#include "record/events/event_table.h"

namespace aaco {

enum class Activity : uint8_t {
  kComputation,
  kCommunication,  // beside no computation
  kCopy,           // beside neither
  kHostHolds,      // idle: the host had not launched what came next, whatever it did
  kDeviceHolds,    // idle: launched, and waiting for other work of the device
  kNotExplained,   // idle: launched and waiting for nothing that is recorded, or no launch is recorded
};
template <>
inline constexpr EnumWords<Activity, 6> kWordsOf<Activity>{{"computation", "communication", "copy",
                                                            "idle: host not ready", "idle: waiting for other work",
                                                            "idle: not explained"}};
inline constexpr size_t kActivities = 6;

struct ActivitySpan {
  int64_t start_ns = 0;  // since the start of the picture
  int64_t end_ns = 0;
  Activity activity = Activity::kComputation;
};

struct ActivityStrip {
  uint32_t recording = 0;
  int64_t rank = kNoId;
  int64_t device = kNoId;
  std::vector<ActivitySpan> spans;  // by time, disjoint; without them nothing was recorded there
};

struct ActivityStrips {
  static constexpr size_t kParts = 1'000;  // of the time, each with what took most of it
  static constexpr size_t kMostDevices = 32;

  std::vector<ActivityStrip> devices;  // the first
  size_t devices_in_all = 0;
  bool own_starts = false;  // recordings lie too far apart for one axis: each begins at its own start
};

// Bounded by kParts and kMostDevices, however long the trace is.
ActivityStrips activity_strips(const EventTable& events);

}  // namespace aaco
