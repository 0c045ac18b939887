// SPDX-License-Identifier: MIT
// The one contract of collectors: whoever records what a device did (our own on the CPU, CUPTI, rocprofiler) hands it
// over in batches of plain records, which may cross the boundary of a module. A sink makes rows of an event table
// (activity_table.h) or of its journal (activity_journal.h) of them at once.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "record/device/activity_record.h"
#include "record/events/string_table.h"

namespace aaco {

// Takes calls from any thread.
class ActivitySink {
 public:
  virtual ~ActivitySink() = default;
  // Names are numbers of intern().
  virtual void push(std::span<const ActivityRecord> batch) = 0;
  virtual StringId intern(std::string_view name) = 0;
  // The collector lost so many.
  virtual void dropped(uint64_t count) = 0;
};

}  // namespace aaco
