// SPDX-License-Identifier: MIT
// An event table as the rows of a bundle's Parquet files, and back: nothing is lost on the way.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "record/events/event_table.h"
#include "record/table.h"

namespace aaco {

struct TraceRecordingRow {
  int64_t recording = 0;
  std::string name;
  std::string format;
};

struct TraceTrackRow {
  int64_t track = 0;
  int64_t recording = 0;
  std::string process;
  std::string thread;
  std::string process_name;
  std::string thread_name;
  std::optional<int64_t> rank;
  std::optional<int64_t> device;
  std::optional<int64_t> stream;
};

struct TraceEventRow {
  int64_t event = 0;
  int64_t track = 0;
  std::string kind;
  std::string shape;
  std::string name;
  std::string category;
  std::optional<int64_t> start_ns;
  int64_t duration_ns = 0;
  std::optional<int64_t> correlation;
  std::optional<int64_t> external_id;
};

struct TraceArgumentRow {
  int64_t event = 0;
  std::string key;
  std::string type;
  std::optional<int64_t> integer;
  std::optional<double> real;
  std::optional<std::string> text;
};

struct TraceMetadataRow {
  int64_t recording = 0;
  std::string key;
  std::string value;
};

struct TraceLossRow {
  std::string loss;
  int64_t count = 0;
  std::string severity;
  std::string meaning;
  std::string remedy;
  std::string example;
  std::optional<int64_t> device_time_ns = std::nullopt;
};

TraceRecordingRow recording_row(const EventTable& events, size_t recording);
TraceTrackRow track_row(const EventTable& events, size_t track);
TraceEventRow event_row(const EventTable& events, size_t event);
// `at`: as of the events' ArgumentStore.
TraceArgumentRow argument_row(const EventTable& events, size_t event, size_t at);
TraceMetadataRow metadata_row(const EventTable& events, size_t at);
TraceLossRow loss_row(const LossTable::Entry& entry);

// Puts rows together again, table by table in the order of the functions; each takes any number of pieces. Errors:
// kUsage where a row is not what a table of events can hold (a track that is not there, an unknown kind, arguments out
// of order).
class EventTableBuilder {
 public:
  Result<void> add_recordings(std::span<const TraceRecordingRow> rows);
  Result<void> add_tracks(std::span<const TraceTrackRow> rows);
  Result<void> add_metadata(std::span<const TraceMetadataRow> rows);
  Result<void> add_losses(std::span<const TraceLossRow> rows);
  Result<void> add_events(std::span<const TraceEventRow> rows);
  Result<void> add_arguments(std::span<const TraceArgumentRow> rows);
  uint64_t text_bytes() const { return table_.strings.bytes(); }
  EventTable finish();

 private:
  EventTable table_;
  size_t events_with_arguments_ = 0;  // whose arguments are complete
};

template <>
struct RowSchema<TraceRecordingRow> {
  static constexpr const char* kName = "recordings";
  static constexpr const char* kMeaning = "what one profiler wrote of one process; ids hold within one";
  template <class R = TraceRecordingRow>
  static auto columns() {
    return std::tuple{row_column("recording", &R::recording, "1", "index"),
                      row_column("name", &R::name, "", "the file, or what the names of its files have in common"),
                      row_column("format", &R::format, "", "its format")};
  }
};

template <>
struct RowSchema<TraceTrackRow> {
  static constexpr const char* kName = "tracks";
  static constexpr const char* kMeaning = "a host thread, or a device's stream";
  template <class R = TraceTrackRow>
  static auto columns() {
    return std::tuple{row_column("track", &R::track, "1", "index"),
                      row_column("recording", &R::recording, "1", "of the table recordings"),
                      row_column("process", &R::process, "", "as the file names it"),
                      row_column("thread", &R::thread, "", "as the file names it"),
                      row_column("process_name", &R::process_name, "", "where the file says"),
                      row_column("thread_name", &R::thread_name, "", "where the file says"),
                      row_column("rank", &R::rank, "1", "of the job, where known"),
                      row_column("device", &R::device, "1", "of a device's stream, where known"),
                      row_column("stream", &R::stream, "1", "of a device's stream, where known")};
  }
};

template <>
struct RowSchema<TraceEventRow> {
  static constexpr const char* kName = "events";
  static constexpr const char* kMeaning = "one row per event, in the order of the files";
  template <class R = TraceEventRow>
  static auto columns() {
    return std::tuple{
        row_column("event", &R::event, "1", "index"),
        row_column("track", &R::track, "1", "of the table tracks"),
        row_column("kind", &R::kind, "",
                   "host_op, host_call, host_range, overhead, kernel, copy, set, device_range, device_sync or other"),
        row_column("shape", &R::shape, "",
                   "slice, instant, counter, flow_start, flow_step, flow_end, async, slice_end, metadata or untimed"),
        row_column("name", &R::name, "", "as the file says"),
        row_column("category", &R::category, "", "as the file says"),
        row_column("start_ns", &R::start_ns, "ns", "on the recording's clock; null of what has no place in time"),
        row_column("duration_ns", &R::duration_ns, "ns", "0 but of slices, and of the untimed where it is known"),
        row_column("correlation", &R::correlation, "1",
                   "joins a call and what it started on the device, within a recording and rank; a flow's id"),
        row_column("external_id", &R::external_id, "1", "joins an operator and the calls within")};
  }
};

template <>
struct RowSchema<TraceArgumentRow> {
  static constexpr const char* kName = "arguments";
  static constexpr const char* kMeaning = "one row per value of an event's arguments, in their order";
  template <class R = TraceArgumentRow>
  static auto columns() {
    return std::tuple{row_column("event", &R::event, "1", "of the table events"),
                      row_column("key", &R::key, "", "name of the argument"),
                      row_column("type", &R::type, "", "integer, real, text, json, true, false or null"),
                      row_column("integer", &R::integer, "", "of an integer"),
                      row_column("real", &R::real, "", "of a real number"),
                      row_column("text", &R::text, "", "of a text, and of an array or object as JSON")};
  }
};

template <>
struct RowSchema<TraceMetadataRow> {
  static constexpr const char* kName = "metadata";
  static constexpr const char* kMeaning = "what a file says of the whole recording";
  template <class R = TraceMetadataRow>
  static auto columns() {
    return std::tuple{row_column("recording", &R::recording, "1", "of the table recordings"),
                      row_column("key", &R::key, "", "its name"), row_column("value", &R::value, "", "as JSON")};
  }
};

template <>
struct RowSchema<TraceLossRow> {
  static constexpr const char* kName = "losses";
  static constexpr const char* kMeaning = "what could not be read or believed";
  template <class R = TraceLossRow>
  static auto columns() {
    return std::tuple{row_column("loss", &R::loss, "", "its name"),
                      row_column("count", &R::count, "1", "how often"),
                      row_column("severity", &R::severity, "", "note, warning or severe"),
                      row_column("meaning", &R::meaning, "", "what it does to the figures"),
                      row_column("remedy", &R::remedy, "", "what the user can do"),
                      row_column("example", &R::example, "", "the first: where, and what was there"),
                      row_column("device_time_ns", &R::device_time_ns, "ns",
                                 "what they took on the device, as recorded; null where that is not known")};
  }
};

}  // namespace aaco
