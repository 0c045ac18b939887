// SPDX-License-Identifier: MIT
// Something that happened, of any plane: what a collector, or the work itself, says of a moment or a span.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "record/table.h"

namespace aaco {

struct PlaneEventRow {
  std::string plane;
  std::string name;
  int64_t t_start_ns = 0;
  std::optional<int64_t> t_end_ns;
  std::optional<int64_t> process;
  std::optional<int64_t> thread_id;
  std::optional<int64_t> device;
  std::optional<int64_t> stream;
  std::optional<int64_t> correlation;
  std::optional<std::string> arguments;
};

template <>
struct RowSchema<PlaneEventRow> {
  static constexpr const char* kName = "plane_events";
  static constexpr const char* kMeaning = "events of any plane, one row per event";
  template <class R = PlaneEventRow>
  static auto columns() {
    return std::tuple{
        row_column("plane", &R::plane, "", "plane that it is of, as in session.json"),
        row_column("name", &R::name, "", "what happened"),
        row_column("t_start_ns", &R::t_start_ns, "ns", "when, or when it started, session time"),
        row_column("t_end_ns", &R::t_end_ns, "ns", "when it ended; null: a moment"),
        row_column("process", &R::process, "1", "index of the process; null: of the run"),
        row_column("thread_id", &R::thread_id, "1", "host thread"),
        row_column("device", &R::device, "1", "index of the device"),
        row_column("stream", &R::stream, "1", "stream, as its runtime numbers it"),
        row_column("correlation", &R::correlation, "1", "the same on the host's call and what it started on a device"),
        row_column("arguments", &R::arguments, "", "more of it, a JSON object")};
  }
};

}  // namespace aaco
