// SPDX-License-Identifier: MIT
#include "session/trace_tables.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "base/interrupt.h"
#include "base/memory/spill_file.h"
#include "record/events/trace_rows.h"
#include "session/bundle/layout.h"

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

constexpr const char* kLess =
    "`aaco trace sql` asks a session's tables without loading them; or use a machine with more";

// What is more lies in files.
uint64_t held_bytes(uint64_t bytes) { return std::min(bytes, spill_plan().memory_bytes); }

// `check(piece)` before its rows are taken over.
template <class Row, class Check>
Result<void> load(const std::filesystem::path& path, EventTableBuilder& builder,
                  Result<void> (EventTableBuilder::*add)(std::span<const Row>), const Check& check) {
  return read_parquet_pieces(path, RowSchema<Row>::kName, [&](const Table& piece) -> Result<void> {
    AACO_TRY(check(piece));
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
Result<void> write_all(const EventTable& events, OnInterrupt on_interrupt, const Write& write) {
  constexpr size_t kRowsPerLook = 4096;
  const auto look = [on_interrupt](size_t i) {
    if (i % kRowsPerLook == 0 && on_interrupt == OnInterrupt::kEnd) {
      end_if_interrupted();
    }
  };
  const auto column_of = [&](auto row_of) {
    return [&events, row_of, look](size_t i) {
      look(i);
      return row_of(events, i);
    };
  };
  AACO_TRY(write(RowSchema<TraceRecordingRow>(), layout::kTraceRecordings, events.recordings.size(),
                 column_of(recording_row)));
  AACO_TRY(write(RowSchema<TraceTrackRow>(), layout::kTraceTracks, events.tracks.size(), column_of(track_row)));
  AACO_TRY(write(RowSchema<TraceEventRow>(), layout::kTraceEvents, events.size(), column_of(event_row)));
  ArgumentRows arguments(events);
  AACO_TRY(write(RowSchema<TraceArgumentRow>(), layout::kTraceArguments, arguments.count(), [&](size_t at) {
    look(at);
    return arguments(at);
  }));
  AACO_TRY(
      write(RowSchema<TraceMetadataRow>(), layout::kTraceMetadata, events.metadata.size(), column_of(metadata_row)));
  const std::vector<LossTable::Entry> losses = events.losses.entries();
  return write(RowSchema<TraceLossRow>(), layout::kTraceLosses, losses.size(),
               [&](size_t i) { return loss_row(losses[i]); });
}

}  // namespace

Result<void> write_trace(SessionWriter& session, const EventTable& events) {
  return write_all(
      events, OnInterrupt::kEnd,
      [&]<class Row, class Make>(const RowSchema<Row>&, const char* relative, size_t count, const Make& make) {
        return session.write_made<Row>(relative, count, make);
      });
}

Result<void> write_trace_tables(const std::filesystem::path& folder, const EventTable& events,
                                OnInterrupt on_interrupt) {
  AACO_TRY(make_folders((folder / layout::kTraceEvents).parent_path()));
  return write_all(
      events, on_interrupt,
      [&]<class Row, class Make>(const RowSchema<Row>&, const char* relative, size_t count, const Make& make) {
        return write_parquet_made<Row>(folder / relative, count, make);
      });
}

uint64_t TraceSize::bytes() const {
  constexpr uint64_t kEvent = 4 * sizeof(int64_t) + 3 * sizeof(uint32_t) + 2 + sizeof(uint64_t);
  constexpr uint64_t kArgument = sizeof(StringId) + sizeof(ArgumentType) + sizeof(uint64_t);
  return events * kEvent + arguments * kArgument;
}

Result<TraceSize> trace_size(const std::filesystem::path& folder) {
  TraceSize size;
  AACO_ASSIGN(size.events, parquet_row_count(folder / layout::kTraceEvents));
  AACO_ASSIGN(size.arguments, parquet_row_count(folder / layout::kTraceArguments));
  return size;
}

namespace {

using Tables = std::vector<const char*>;

bool has(const Tables& tables, std::string_view table) { return std::ranges::find(tables, table) != tables.end(); }

// All but those that are `left_out`.
Result<EventTable> read_tables(const std::filesystem::path& folder, const Tables& left_out,
                               std::optional<int64_t> available_bytes) {
  TraceSize size;
  AACO_ASSIGN(size.events, parquet_row_count(folder / layout::kTraceEvents));
  if (!has(left_out, layout::kTraceArguments)) {
    AACO_ASSIGN(size.arguments, parquet_row_count(folder / layout::kTraceArguments));
  }
  const std::string what = fmt::format("{}: a trace of {} events", folder.string(), size.events);
  AACO_TRY(expect_memory(held_bytes(size.bytes()), available_bytes, what, kLess));
  EventTableBuilder builder;
  const auto small = [&]<class Row>(const char* relative,
                                    Result<void> (EventTableBuilder::*add)(std::span<const Row>)) {
    uint64_t left_bytes = kMaxUnpackedBytes;
    return has(left_out, relative)
               ? Result<void>()
               : load(folder / relative, builder, add, [&, path = folder / relative](const Table& piece) {
                   return take_memory(path, piece, sizeof(Row), left_bytes);
                 });
  };
  const auto large = [&]<class Row>(const char* relative,
                                    Result<void> (EventTableBuilder::*add)(std::span<const Row>)) {
    return has(left_out, relative) ? Result<void>() : load(folder / relative, builder, add, [&](const Table&) {
      return expect_memory(held_bytes(size.bytes() + builder.text_bytes()), available_bytes, what, kLess);
    });
  };
  AACO_TRY(small(layout::kTraceRecordings, &EventTableBuilder::add_recordings));
  AACO_TRY(small(layout::kTraceTracks, &EventTableBuilder::add_tracks));
  AACO_TRY(small(layout::kTraceMetadata, &EventTableBuilder::add_metadata));
  AACO_TRY(small(layout::kTraceLosses, &EventTableBuilder::add_losses));
  AACO_TRY(large(layout::kTraceEvents, &EventTableBuilder::add_events));
  AACO_TRY(large(layout::kTraceArguments, &EventTableBuilder::add_arguments));
  return builder.finish();
}

}  // namespace

Result<EventTable> read_trace_tables(const std::filesystem::path& folder, std::optional<int64_t> available_bytes) {
  return read_tables(folder, {}, available_bytes);
}

Result<EventTable> read_left_trace_tables(const std::filesystem::path& folder, const std::string& reason,
                                          std::optional<int64_t> available_bytes) {
  Tables missing;
  for (const char* table : {layout::kTraceRecordings, layout::kTraceTracks, layout::kTraceEvents,
                            layout::kTraceArguments, layout::kTraceMetadata, layout::kTraceLosses}) {
    std::error_code error;
    if (!std::filesystem::exists(folder / table, error)) {
      missing.push_back(table);
    }
  }
  if (has(missing, layout::kTraceRecordings) || has(missing, layout::kTraceTracks) ||
      has(missing, layout::kTraceEvents)) {
    return Error{ErrorKind::kPartial, fmt::format("{}: {}, before its events were written", folder.string(), reason),
                 "import the trace again; `aaco sessions prune` removes what is left of this session"};
  }
  AACO_ASSIGN(EventTable events, read_tables(folder, missing, available_bytes));
  events.losses.add(Loss::kTruncated, [&] {
    return missing.empty() ? reason : fmt::format("{}, without {}", reason, fmt::join(missing, ", "));
  });
  return events;
}

}  // namespace aaco
