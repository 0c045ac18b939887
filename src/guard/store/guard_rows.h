// SPDX-License-Identifier: MIT
// What the guard keeps: a row for each recording, and a row for each figure of each process. Columns are BIGINT, DOUBLE
// and VARCHAR alone, which DuckDB, Spark and Trino read alike. Subject, backend and machine stand in the folders' names
// (store/partition.h), from which readers of a partitioned table make columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/json/json_fwd.h"
#include "record/table.h"

namespace aaco {

// What was measured where. Each is a slug (store/slug.h).
struct SeriesPlace {
  std::string subject;
  std::string backend;
  std::string machine;
  friend bool operator==(const SeriesPlace&, const SeriesPlace&) = default;
  friend auto operator<=>(const SeriesPlace&, const SeriesPlace&) = default;
};

// One recording: a session, a command that was timed, or values that were given.
struct GuardRecord {
  std::string record_id;
  int64_t recorded_ns = 0;  // since 1970
  SeriesPlace place;
  std::string commit;  // "": not known
  std::string branch;
  std::string source;        // "session", "command", "value"
  std::string title;         // of the subject, as the user wrote it
  std::string session_id;    // "" where there is no session
  std::string session_path;  // where it lay
  int64_t valid = 1;         // 0: nothing may be compared with it
  std::string reason;        // why not
  std::string sample;        // JSON: all that a comparison needs (as in a baseline file)
};

struct GuardValue {
  std::string record_id;
  int64_t recorded_ns = 0;
  SeriesPlace place;
  std::string commit;
  int64_t valid = 1;
  std::string name;  // of the sample within its session, or of the given value; "" of the only one
  std::string
      figure;  // "median", "mean", "p90", "p99", "elapsed" (time per inference), "time_per_unit", "cycles", "value"
  std::string unit;  // "ns", "1", or as it was given
  int64_t process = 0;
  double value = 0;
  std::optional<double> clock_mhz;  // of the processors while the recording was measured
};

struct GuardEntry {
  GuardRecord record;
  std::vector<GuardValue> values;
};
void to_json(Json& json, const GuardEntry& value);
void from_json(const Json& json, GuardEntry& value);

template <>
struct RowSchema<GuardRecord> {
  static constexpr const char* kName = "records";
  static constexpr const char* kMeaning = "recordings that aaco guard keeps";
  static constexpr auto columns() {
    return std::make_tuple(
        row_column("record_id", &GuardRecord::record_id, "", "id of the recording"),
        row_column("recorded_ns", &GuardRecord::recorded_ns, "ns", "when it was recorded, since 1970"),
        row_column("commit", &GuardRecord::commit, "", "what was measured; empty where it is not known"),
        row_column("branch", &GuardRecord::branch, "", "branch of the commit"),
        row_column("source", &GuardRecord::source, "", "session, command or value"),
        row_column("title", &GuardRecord::title, "", "the subject as it was given"),
        row_column("session_id", &GuardRecord::session_id, "", "the session, where there is one"),
        row_column("session_path", &GuardRecord::session_path, "", "where the session lay"),
        row_column("valid", &GuardRecord::valid, "1", "0 where nothing may be compared with it"),
        row_column("reason", &GuardRecord::reason, "", "why nothing may be compared with it"),
        row_column("sample", &GuardRecord::sample, "", "JSON of what a comparison needs"));
  }
};

template <>
struct RowSchema<GuardValue> {
  static constexpr const char* kName = "values";
  static constexpr const char* kMeaning = "figures of each process that aaco guard keeps";
  static constexpr auto columns() {
    return std::make_tuple(
        row_column("record_id", &GuardValue::record_id, "", "id of the recording"),
        row_column("recorded_ns", &GuardValue::recorded_ns, "ns", "when it was recorded, since 1970"),
        row_column("commit", &GuardValue::commit, "", "what was measured; empty where it is not known"),
        row_column("valid", &GuardValue::valid, "1", "0 where nothing may be compared with the recording"),
        row_column("name", &GuardValue::name, "", "sample of the session, or name of the given value"),
        row_column("figure", &GuardValue::figure, "", "median, mean, p90, p99, elapsed, cycles or value"),
        row_column("unit", &GuardValue::unit, "", "unit of value"),
        row_column("process", &GuardValue::process, "1", "which process of the recording"),
        row_column("value", &GuardValue::value, "", "the figure"),
        row_column("clock_mhz", &GuardValue::clock_mhz, "MHz", "mean clock of the processors while it was measured"));
  }
};

}  // namespace aaco
