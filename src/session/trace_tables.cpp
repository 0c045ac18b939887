// SPDX-License-Identifier: MIT
#include "session/trace_tables.h"

#include <vector>

#include "base/file.h"
#include "session/layout.h"
#include "trace/trace_rows.h"

namespace aaco {

namespace {

// `add(row)` for the argument rows of one event after another: `at` runs over all arguments.
class ArgumentRows {
 public:
  explicit ArgumentRows(const EventTable& events) : events_(events) {}
  size_t count() const { return events_.size() == 0 ? 0 : events_.arguments.end(events_.size() - 1); }
  TraceArgumentRow operator()(size_t at) {
    while (at >= events_.arguments.end(event_)) {
      ++event_;
    }
    return argument_row(events_, event_, at);
  }

 private:
  const EventTable& events_;
  size_t event_ = 0;
};

template <class Row>
Result<void> load(const std::filesystem::path& path, uint64_t& left_bytes, EventTableBuilder& builder,
                  Result<void> (EventTableBuilder::*add)(std::span<const Row>)) {
  return read_parquet_pieces(path, RowSchema<Row>::kName, [&](const Table& piece) -> Result<void> {
    AACO_TRY(take_memory(path, piece, sizeof(Row), left_bytes));
    AACO_ASSIGN(const std::vector<Row> rows, from_table<Row>(piece));
    Result<void> added = (builder.*add)(rows);
    if (!added) {
      Error error = added.error();
      error.message = path.string() + ": " + error.message;
      return error;
    }
    return {};
  });
}

// `write(schema, path in the folder, rows, make(row))` for each table.
template <class Write>
Result<void> write_all(const EventTable& events, const Write& write) {
  const auto of = [&](auto row_of) { return [&events, row_of](size_t i) { return row_of(events, i); }; };
  AACO_TRY(
      write(RowSchema<TraceRecordingRow>(), layout::kTraceRecordings, events.recordings.size(), of(recording_row)));
  AACO_TRY(write(RowSchema<TraceTrackRow>(), layout::kTraceTracks, events.tracks.size(), of(track_row)));
  AACO_TRY(write(RowSchema<TraceEventRow>(), layout::kTraceEvents, events.size(), of(event_row)));
  ArgumentRows arguments(events);
  AACO_TRY(write(RowSchema<TraceArgumentRow>(), layout::kTraceArguments, arguments.count(),
                 [&](size_t at) { return arguments(at); }));
  AACO_TRY(write(RowSchema<TraceMetadataRow>(), layout::kTraceMetadata, events.metadata.size(), of(metadata_row)));
  const std::vector<LossTable::Entry> losses = events.losses.entries();
  return write(RowSchema<TraceLossRow>(), layout::kTraceLosses, losses.size(),
               [&](size_t i) { return loss_row(losses[i]); });
}

}  // namespace

Result<void> write_trace(SessionWriter& session, const EventTable& events) {
  return write_all(
      events, [&]<class Row, class Make>(const RowSchema<Row>&, const char* relative, size_t count, const Make& make) {
        return session.write_made<Row>(relative, count, make);
      });
}

Result<void> write_trace_tables(const std::filesystem::path& folder, const EventTable& events) {
  AACO_TRY(make_folders((folder / layout::kTraceEvents).parent_path()));
  return write_all(
      events, [&]<class Row, class Make>(const RowSchema<Row>&, const char* relative, size_t count, const Make& make) {
        return write_parquet_made<Row>(folder / relative, count, make);
      });
}

Result<EventTable> read_trace_tables(const std::filesystem::path& session) {
  EventTableBuilder builder;
  uint64_t left_bytes = kMaxUnpackedBytes;
  AACO_TRY(load(session / layout::kTraceRecordings, left_bytes, builder, &EventTableBuilder::add_recordings));
  AACO_TRY(load(session / layout::kTraceTracks, left_bytes, builder, &EventTableBuilder::add_tracks));
  AACO_TRY(load(session / layout::kTraceMetadata, left_bytes, builder, &EventTableBuilder::add_metadata));
  AACO_TRY(load(session / layout::kTraceLosses, left_bytes, builder, &EventTableBuilder::add_losses));
  AACO_TRY(load(session / layout::kTraceEvents, left_bytes, builder, &EventTableBuilder::add_events));
  AACO_TRY(load(session / layout::kTraceArguments, left_bytes, builder, &EventTableBuilder::add_arguments));
  return builder.finish();
}

}  // namespace aaco
