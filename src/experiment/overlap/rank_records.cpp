// SPDX-License-Identifier: MIT
#include "experiment/overlap/rank_records.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

#include "analysis/timeline/communication/collective.h"
#include "analysis/timeline/device_work.h"
#include "analysis/timeline/names/work_names.h"
#include "base/json.h"
#include "experiment/overlap/copied_gathers.h"
#include "experiment/queue/stream_numbers.h"
#include "workload/sharded/sharded_step.h"

namespace aaco {

// A row is an array: there are tens of thousands.
void to_json(Json& json, const RecordRow& row) {
  json = {row.start_ns, row.end_ns, row.correlation, row.stream, row.kind, row.name, row.bytes, row.collective};
}
void from_json(const Json& json, RecordRow& row) {
  int64_t* const members[] = {&row.start_ns, &row.end_ns, &row.correlation, &row.stream,
                              &row.kind,     &row.name,   &row.bytes,       &row.collective};
  for (size_t i = 0; i < std::size(members); ++i) {
    json.at(i).get_to(*members[i]);
  }
}

AACO_JSON_FIELDS(RecordedCollective, name, group, members, element, stream, bytes, in_elements, out_elements)
AACO_JSON_FIELDS(RankRecords, rank, steps, dropped, names, collectives, paths, overlapped, alone)

namespace {

// As PyTorch's traces name element types, which the analyses know.
const char* element_name(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return "Float";
    case Dtype::kF16:
      return "Half";
    case Dtype::kBf16:
      return "BFloat16";
    case Dtype::kI32:
      return "Int";
    case Dtype::kU8:
      return "Byte";
  }
  return "";
}

EventKind kind_of(ActivityKind kind) {
  switch (kind) {
    case ActivityKind::kKernel:
      return EventKind::kKernel;
    case ActivityKind::kCopy:
      return EventKind::kCopy;
    case ActivityKind::kSet:
      return EventKind::kSet;
    case ActivityKind::kLaunchCall:
    case ActivityKind::kSync:
      break;
  }
  return EventKind::kHostCall;
}

bool is_on_stream(const ActivityRecord& record) { return is_on_device(kind_of(record.kind)); }

// Numbers, by type, the collectives of a program; a kernel of that type is the next of them, again and again.
class CollectiveMatcher {
 public:
  explicit CollectiveMatcher(const std::vector<RecordedCollective>& collectives) {
    for (size_t i = 0; i < collectives.size(); ++i) {
      places_[collective_type(collectives[i].name)].push_back(static_cast<int64_t>(i));
    }
  }
  // -1: the step has no such collective.
  int64_t next(const std::string& kernel) {
    const CollectiveType type = collective_type(kernel);
    const std::vector<int64_t>& its = places_[type];
    return its.empty() ? -1 : its[seen_[type]++ % its.size()];
  }
  // Not one kernel of the type was seen.
  bool is_missing(CollectiveType type) const { return places_.contains(type) && !seen_.contains(type); }
  // Those of the type were found otherwise.
  void found_all(CollectiveType type, int64_t steps) {
    seen_[type] = places_[type].size() * static_cast<size_t>(steps);
  }
  // What was not seen as often as so many steps have it; empty: nothing.
  std::string wrong_count(int64_t steps) const {
    for (const auto& [type, its] : places_) {
      const auto found = seen_.find(type);
      const size_t seen = found == seen_.end() ? 0 : found->second;
      if (seen != its.size() * static_cast<size_t>(steps)) {
        return fmt::format("{} kernels of {} collectives in each of {} steps", seen, its.size(), steps);
      }
    }
    return "";
  }

 private:
  std::map<CollectiveType, std::vector<int64_t>> places_;
  std::map<CollectiveType, size_t> seen_;
};

// Kernels for symmetric memory have names of their own: ncclSymDevKernel since NCCL 2.27, ncclSymkDevKernel since 2.28.
const char* path_of(const RecordRow& row, const std::string& name) {
  if (static_cast<ActivityKind>(row.kind) == ActivityKind::kCopy) {
    return "copy_engine";
  }
  return name.find("ncclSym") != std::string::npos ? "symmetric" : "kernel";
}

std::vector<CollectivePathTaken> paths_of(const std::vector<RecordRow>& rows, const RankRecords& of) {
  std::map<std::pair<std::string, std::string>, int64_t> counts;
  for (const RecordRow& row : rows) {
    if (row.collective >= 0) {
      const std::string& name = of.names.at(static_cast<size_t>(row.name));
      ++counts[{of.collectives.at(static_cast<size_t>(row.collective)).name, path_of(row, name)}];
    }
  }
  std::vector<CollectivePathTaken> paths;
  for (const auto& [key, count] : counts) {
    paths.push_back({key.first, key.second, count});
  }
  return paths;
}

int64_t number_of(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) {
    return found - names.begin();
  }
  names.push_back(name);
  return static_cast<int64_t>(names.size()) - 1;
}

}  // namespace

std::vector<RecordedCollective> collectives_of(const Program& step, std::span<const RankGroup> groups) {
  std::vector<RecordedCollective> all;
  for (const CollectiveCommand& command : step.collectives()) {
    RecordedCollective& one = all.emplace_back();
    one.name = name_of(command.collective);
    one.group = fmt::format("communicator {}", command.communicator);
    one.members = groups[static_cast<size_t>(command.communicator)].ranks;
    const auto ranks = static_cast<int64_t>(one.members.size());
    one.element = element_name(command.dtype);
    one.stream = command.ranks.front().stream;
    one.bytes = command.count * size_of(command.dtype);
    one.in_elements = command.count * (command.collective == Collective::kReduceScatter ? ranks : 1);
    one.out_elements = command.count * (command.collective == Collective::kAllGather ? ranks : 1);
  }
  return all;
}

Result<std::vector<RecordRow>> rows_of(const std::vector<ActivityRecord>& records, const ActivitySink& sink,
                                       const ProgramTarget& target, RankRecords& of) {
  std::vector<const ActivityRecord*> ordered;
  for (const ActivityRecord& record : records) {
    ordered.push_back(&record);
  }
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto* a, const auto* b) { return a->start_ns < b->start_ns; });
  const StreamNumbers numbers(target);
  CollectiveMatcher matcher(of.collectives);
  std::vector<RecordRow> rows;
  for (const ActivityRecord* record : ordered) {
    const std::string name = sink.name(record->name);
    RecordRow& row = rows.emplace_back();
    row.start_ns = record->start_ns;
    row.end_ns = record->end_ns;
    row.correlation = record->correlation == kNoCorrelation ? -1 : static_cast<int64_t>(record->correlation);
    const auto number = is_on_stream(*record) ? numbers.of(*record) : std::nullopt;
    row.stream = number ? int64_t{*number} : static_cast<int64_t>(record->stream);
    row.kind = static_cast<int64_t>(record->kind);
    row.name = number_of(of.names, name);
    row.bytes = static_cast<int64_t>(record->bytes);
    if (record->kind == ActivityKind::kKernel && is_communication(name)) {
      row.collective = matcher.next(name);
    }
  }
  if (matcher.is_missing(CollectiveType::kAllGather)) {
    const bool apart = std::set(target.streams.begin(), target.streams.end()).size() == target.streams.size();
    AACO_TRY(merge_copied_gathers(rows, of, apart));
    matcher.found_all(CollectiveType::kAllGather, of.steps);
  }
  if (of.paths.empty()) {  // else these are the steps one by one
    of.paths = paths_of(rows, of);
  }
  if (const std::string wrong = matcher.wrong_count(of.steps); !wrong.empty()) {
    return Error{ErrorKind::kInvalid, fmt::format("rank {}: the records have {}", of.rank, wrong),
                 "the collector lost records, or the library does a collective by several kernels"};
  }
  return rows;
}

namespace {

class RankEvents {
 public:
  EventTable take() { return std::move(events_); }

  void add(const RankRecords& records, const std::vector<RecordRow>& rows) {
    tracks_.clear();
    if (events_.recordings.empty()) {
      events_.recordings.push_back({"overlap", "aaco"});
    }
    for (const RecordRow& row : rows) {
      const auto kind = static_cast<ActivityKind>(row.kind);
      TraceEvent event;
      event.start_ns = row.start_ns;
      event.duration_ns = row.end_ns - row.start_ns;
      event.correlation = row.correlation < 0 ? kNoId : row.correlation;
      event.name = events_.strings.intern(records.names.at(static_cast<size_t>(row.name)));
      event.kind = kind_of(kind);
      event.track = track_of(records, row, event.kind);
      std::vector<Argument> arguments;
      if (row.collective >= 0) {
        arguments = arguments_of(records.collectives.at(static_cast<size_t>(row.collective)));
      } else if (row.bytes > 0) {
        arguments.push_back(integer("bytes", row.bytes));
      }
      events_.add(event, arguments);
    }
    if (records.dropped > 0) {
      events_.losses.add(Loss::kDropped, static_cast<uint64_t>(records.dropped));
    }
  }

 private:
  Argument integer(std::string_view key, int64_t value) {
    return {events_.strings.intern(key), ArgumentType::kInteger, static_cast<uint64_t>(value)};
  }
  Argument text(std::string_view key, std::string_view value) {
    return {events_.strings.intern(key), ArgumentType::kText, events_.strings.intern(value)};
  }

  // As PyTorch writes them, which is what the analyses read.
  std::vector<Argument> arguments_of(const RecordedCollective& collective) {
    return {text("Collective name", collective.name),
            text("dtype", collective.element),
            integer("In msg nelems", collective.in_elements),
            integer("Out msg nelems", collective.out_elements),
            integer("Group size", static_cast<int64_t>(collective.members.size())),
            text("Process Group Name", collective.group),
            text("Process Group Ranks", fmt::format("[{}]", fmt::join(collective.members, ", ")))};
  }

  uint32_t track_of(const RankRecords& records, const RecordRow& row, EventKind kind) {
    const bool on_device = is_on_device(kind);
    const auto [found, made] =
        tracks_.try_emplace(std::pair(on_device, row.stream), static_cast<uint32_t>(events_.tracks.size()));
    if (made) {
      Track track;
      track.rank = records.rank;
      track.process = events_.strings.intern(fmt::format("rank {}", records.rank));
      if (on_device) {
        track.device = records.rank;
        track.stream = row.stream;
        track.thread =
            events_.strings.intern(row.stream < kShardedStreams ? name_of(static_cast<ShardedStream>(row.stream))
                                                                : fmt::format("stream {}", row.stream));
      } else {
        track.thread = events_.strings.intern(fmt::format("thread {}", row.stream));
      }
      track.process_name = track.process;
      track.thread_name = track.thread;
      events_.tracks.push_back(track);
    }
    return found->second;
  }

  EventTable events_;
  std::map<std::pair<bool, int64_t>, uint32_t> tracks_;  // of the rank
};

}  // namespace

EventTable events_of_ranks(std::span<const RankRecords> ranks, std::vector<RecordRow> RankRecords::* rows) {
  RankEvents events;
  for (const RankRecords& records : ranks) {
    events.add(records, records.*rows);
  }
  return events.take();
}

}  // namespace aaco
