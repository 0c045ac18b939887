// SPDX-License-Identifier: MIT
// Readings of a device at one moment as events: each a counter whose arguments are "value" and "unit", untimed where
// the capture does not say when it was taken. What is no number with a unit stays the text that it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ingest/bytes/byte_source.h"
#include "ingest/table/cell.h"
#include "record/events/event_table.h"
#include "record/events/track_index.h"

namespace aaco {

class Readings {
 public:
  Readings(EventTable& table, uint32_t recording) : table_(table), recording_(recording), tracks_(table) {}

  // Of what is added from now on. `device`: kNoId for what is the whole host's.
  void set_device(int64_t device, std::string_view name);
  void set_time(std::optional<int64_t> time_ns) { time_ns_ = time_ns; }

  void add(std::string_view name, const Cell& value, std::string_view unit);
  // "65 %", "(1402Mhz)", "300.0" with "(W)" at the end of its name, "N/A".
  void add(std::string_view name, std::string_view text);

 private:
  EventTable& table_;
  uint32_t recording_;
  TrackIndex tracks_;
  uint32_t track_ = 0;
  std::optional<int64_t> time_ns_;
  std::vector<Argument> arguments_;
};

// A capture, which is some kilobytes, as a whole. Errors: kUsage where it cannot be read or is longer than
// kLongestCapture; what a damaged file has before the damage is lost with it.
inline constexpr size_t kLongestCapture = size_t{1} << 24;
Result<std::string> read_capture(ByteSource& source, const std::string& name);

}  // namespace aaco
