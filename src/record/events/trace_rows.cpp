// SPDX-License-Identifier: MIT
#include "record/events/trace_rows.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>

namespace aaco {

namespace {

// In the order of the enumerations.
constexpr const char* kKinds[] = {"host_op", "host_call", "host_range",   "overhead",    "kernel",
                                  "copy",    "set",       "device_range", "device_sync", "other"};
constexpr const char* kShapes[] = {"slice",    "instant", "counter",   "flow_start", "flow_step",
                                   "flow_end", "async",   "slice_end", "metadata",   "untimed"};
constexpr const char* kTypes[] = {"integer", "real", "text", "json", "true", "false", "null"};

template <class Enumeration, size_t kCount>
bool find_name(const char* const (&names)[kCount], const std::string& name, Enumeration& value) {
  const auto* const position = std::find(std::begin(names), std::end(names), name);
  value = static_cast<Enumeration>(position - std::begin(names));
  return position != std::end(names);
}

bool has_time(EventShape shape) { return shape != EventShape::kMetadata && shape != EventShape::kUntimed; }

std::optional<int64_t> id_of(int64_t id) { return id == kNoId ? std::nullopt : std::optional(id); }

Error damaged(const char* table, size_t row, const std::string& what) {
  return {ErrorKind::kUsage, fmt::format("table {}, row {}: {}", table, row, what),
          "the file is damaged, or was not written by this version of aaco"};
}

}  // namespace

TraceRecordingRow recording_row(const EventTable& events, size_t recording) {
  const TraceRecording& from = events.recordings[recording];
  return {static_cast<int64_t>(recording), from.name, from.format};
}

TraceTrackRow track_row(const EventTable& events, size_t track) {
  const Track& from = events.tracks[track];
  const auto text = [&](StringId id) { return std::string(events.strings[id]); };
  return {static_cast<int64_t>(track), from.recording,   text(from.process), text(from.thread), text(from.process_name),
          text(from.thread_name),      id_of(from.rank), id_of(from.device), id_of(from.stream)};
}

TraceEventRow event_row(const EventTable& events, size_t event) {
  const EventShape shape = events.shape[event];
  return {static_cast<int64_t>(event),
          events.track[event],
          kKinds[static_cast<size_t>(events.kind[event])],
          kShapes[static_cast<size_t>(shape)],
          std::string(events.strings[events.name[event]]),
          std::string(events.strings[events.category[event]]),
          has_time(shape) ? std::optional(events.start_ns[event]) : std::nullopt,
          events.duration_ns[event],
          id_of(events.correlation[event]),
          id_of(events.external_id[event])};
}

TraceArgumentRow argument_row(const EventTable& events, size_t event, size_t at) {
  const Argument from = events.arguments[at];
  TraceArgumentRow row{static_cast<int64_t>(event),
                       std::string(events.strings[from.key]),
                       kTypes[static_cast<size_t>(from.type)],
                       {},
                       {},
                       {}};
  switch (from.type) {
    case ArgumentType::kInteger:
      row.integer = static_cast<int64_t>(from.bits);
      break;
    case ArgumentType::kReal:
      row.real = std::bit_cast<double>(from.bits);
      break;
    case ArgumentType::kText:
    case ArgumentType::kJson:
      row.text = std::string(events.text_of(from));
      break;
    default:
      break;
  }
  return row;
}

TraceMetadataRow metadata_row(const EventTable& events, size_t at) {
  const TraceMetadata& from = events.metadata[at];
  return {from.recording, std::string(events.strings[from.key]), std::string(events.strings[from.value])};
}

TraceLossRow loss_row(const LossTable::Entry& entry) {
  const LossInfo& info = loss_info(entry.loss);
  return {info.name,
          static_cast<int64_t>(entry.count),
          severity_name(info.severity),
          info.meaning,
          info.remedy,
          entry.example,
          entry.device_time_ns};
}

Result<void> EventTableBuilder::add_recordings(std::span<const TraceRecordingRow> rows) {
  for (const TraceRecordingRow& row : rows) {
    if (row.recording != static_cast<int64_t>(table_.recordings.size())) {
      return damaged("recordings", table_.recordings.size(), fmt::format("is number {}", row.recording));
    }
    table_.recordings.push_back({row.name, row.format});
  }
  return {};
}

Result<void> EventTableBuilder::add_tracks(std::span<const TraceTrackRow> rows) {
  for (const TraceTrackRow& row : rows) {
    const size_t at = table_.tracks.size();
    if (row.track != static_cast<int64_t>(at) || row.recording < 0 ||
        row.recording >= static_cast<int64_t>(table_.recordings.size())) {
      return damaged("tracks", at, fmt::format("is number {} of recording {}", row.track, row.recording));
    }
    StringTable& strings = table_.strings;
    table_.tracks.push_back({strings.intern(row.process), strings.intern(row.thread), strings.intern(row.process_name),
                             strings.intern(row.thread_name), row.rank.value_or(kNoId), row.device.value_or(kNoId),
                             row.stream.value_or(kNoId), static_cast<uint32_t>(row.recording)});
  }
  return {};
}

Result<void> EventTableBuilder::add_metadata(std::span<const TraceMetadataRow> rows) {
  for (const TraceMetadataRow& row : rows) {
    if (row.recording < 0 || row.recording >= static_cast<int64_t>(table_.recordings.size())) {
      return damaged("metadata", table_.metadata.size(), fmt::format("of recording {}", row.recording));
    }
    table_.metadata.push_back(
        {static_cast<uint32_t>(row.recording), table_.strings.intern(row.key), table_.strings.intern(row.value)});
  }
  return {};
}

Result<void> EventTableBuilder::add_losses(std::span<const TraceLossRow> rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const TraceLossRow& row = rows[i];
    const auto loss = find_loss(row.loss);
    if (!loss || row.count < 1) {
      return damaged("losses", i, fmt::format("\"{}\", {} of them", row.loss, row.count));
    }
    table_.losses.add(*loss, [&] { return row.example; });
    table_.losses.add(*loss, static_cast<uint64_t>(row.count) - 1);
    if (row.device_time_ns) {
      table_.losses.add_device_time(*loss, *row.device_time_ns);
    }
  }
  return {};
}

Result<void> EventTableBuilder::add_events(std::span<const TraceEventRow> rows) {
  constexpr int64_t kFarthestNs = int64_t{1} << 61;  // as of the ingestors
  for (const TraceEventRow& row : rows) {
    const size_t at = table_.size();
    EventKind kind{};
    EventShape shape{};
    if (row.event != static_cast<int64_t>(at) || row.track < 0 ||
        row.track >= static_cast<int64_t>(table_.tracks.size()) || !find_name(kKinds, row.kind, kind) ||
        !find_name(kShapes, row.shape, shape) || row.start_ns.has_value() != has_time(shape)) {
      return damaged("events", at,
                     fmt::format("is number {} of track {}, a {} {}", row.event, row.track, row.kind, row.shape));
    }
    const int64_t start_ns = row.start_ns.value_or(0);
    if (start_ns > kFarthestNs || start_ns < -kFarthestNs || row.duration_ns < 0 ||
        row.duration_ns > kFarthestNs - start_ns) {
      return damaged("events", at, fmt::format("lasts from {} for {} ns", start_ns, row.duration_ns));
    }
    table_.start_ns.push_back(start_ns);
    table_.duration_ns.push_back(row.duration_ns);
    table_.correlation.push_back(row.correlation.value_or(kNoId));
    table_.external_id.push_back(row.external_id.value_or(kNoId));
    table_.name.push_back(table_.strings.intern(row.name));
    table_.category.push_back(table_.strings.intern(row.category));
    table_.track.push_back(static_cast<uint32_t>(row.track));
    table_.kind.push_back(kind);
    table_.shape.push_back(shape);
  }
  return {};
}

Result<void> EventTableBuilder::add_arguments(std::span<const TraceArgumentRow> rows) {
  for (const TraceArgumentRow& row : rows) {
    const auto done = static_cast<int64_t>(events_with_arguments_);
    ArgumentType type{};
    const bool known = find_name(kTypes, row.type, type);
    const bool is_text = type == ArgumentType::kText || type == ArgumentType::kJson;
    if (row.event < done || row.event >= static_cast<int64_t>(table_.size()) || !known ||
        row.integer.has_value() != (type == ArgumentType::kInteger) ||
        row.real.has_value() != (type == ArgumentType::kReal) || row.text.has_value() != is_text) {
      return damaged("arguments", 0, fmt::format("\"{}\" of event {}, a {}", row.key, row.event, row.type));
    }
    for (; events_with_arguments_ < static_cast<size_t>(row.event); ++events_with_arguments_) {
      table_.arguments.end_event();
    }
    uint64_t bits = 0;
    if (type == ArgumentType::kInteger) {
      bits = static_cast<uint64_t>(*row.integer);
    } else if (type == ArgumentType::kReal) {
      bits = std::bit_cast<uint64_t>(*row.real);
    } else if (is_text) {
      bits = table_.strings.intern(*row.text);
    }
    table_.arguments.add({table_.strings.intern(row.key), type, bits});
  }
  return {};
}

EventTable EventTableBuilder::finish() {
  for (; events_with_arguments_ < table_.size(); ++events_with_arguments_) {
    table_.arguments.end_event();
  }
  return std::move(table_);
}

}  // namespace aaco
