// SPDX-License-Identifier: MIT
#include "kind/sharded/rank_records.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

#include "analysis/timeline/communication/collective.h"
#include "analysis/timeline/device_work.h"
#include "analysis/timeline/lookup/event_arguments.h"
#include "analysis/timeline/names/work_names.h"
#include "base/json/json.h"
#include "engine/activity/stream_numbers.h"
#include "kind/sharded/copied_gathers.h"
#include "record/device/device_rows.h"
#include "record/events/event_part.h"
#include "record/events/track_index.h"
#include "record/journal/event_journal.h"
#include "workload/sharded/sharded_step.h"

namespace aaco {

AACO_JSON_FIELDS(RankRecords, rank, steps, turn_steps, turns, paths)

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

// Numbers, by type, the collectives of a program; a kernel of that type is the next of them, again and again.
class CollectiveMatcher {
 public:
  explicit CollectiveMatcher(const std::vector<RecordedCollective>& collectives) {
    for (size_t i = 0; i < collectives.size(); ++i) {
      places_[collective_type(collectives[i].name)].push_back(static_cast<int64_t>(i));
    }
  }
  // -1: the step has no such collective.
  int64_t next(std::string_view kernel) {
    const CollectiveType type = collective_type(kernel);
    const std::vector<int64_t>& places = places_[type];
    return places.empty() ? -1 : places[seen_[type]++ % places.size()];
  }
  // Not one kernel of the type was seen.
  bool is_missing(CollectiveType type) const { return places_.contains(type) && !seen_.contains(type); }
  // Those of the type were found otherwise.
  void found_all(CollectiveType type, int64_t steps) {
    seen_[type] = places_[type].size() * static_cast<size_t>(steps);
  }
  // What was not seen as often as so many steps have it; empty: nothing.
  std::string wrong_count(int64_t steps) const {
    for (const auto& [type, places] : places_) {
      const auto count = seen_.find(type);
      const size_t seen = count == seen_.end() ? 0 : count->second;
      if (seen != places.size() * static_cast<size_t>(steps)) {
        return fmt::format("{} kernels of {} collectives in each of {} steps", seen, places.size(), steps);
      }
    }
    return "";
  }

 private:
  std::map<CollectiveType, std::vector<int64_t>> places_;
  std::map<CollectiveType, size_t> seen_;
};

// Kernels for symmetric memory have names of their own: ncclSymDevKernel since NCCL 2.27, ncclSymkDevKernel since 2.28.
const char* path_of(EventKind kind, std::string_view name) {
  if (kind == EventKind::kCopy) {
    return "copy_engine";
  }
  return name.find("ncclSym") != std::string_view::npos ? "symmetric" : "kernel";
}

std::vector<CollectivePathTaken> paths_of(const std::vector<RankEvent>& rows, const StringTable& texts,
                                          const RankRecords& of) {
  std::map<std::pair<std::string, std::string>, int64_t> counts;
  for (const RankEvent& row : rows) {
    if (row.collective >= 0) {
      ++counts[{of.collectives.at(static_cast<size_t>(row.collective)).name,
                path_of(row.event.kind, texts[row.event.name])}];
    }
  }
  std::vector<CollectivePathTaken> paths;
  for (const auto& [key, count] : counts) {
    paths.push_back({key.first, key.second, count});
  }
  return paths;
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

namespace {

// All that was recorded, by start.
std::vector<RankEvent> rows_by_start(const EventTable& recorded, const ProgramTarget& target) {
  const auto numbers = stream_numbers(recorded, target);
  std::vector<RankEvent> rows;
  for (EventRow row = 0; row < recorded.size(); ++row) {
    const uint32_t track = recorded.track[row];
    RankEvent& event = rows.emplace_back();
    event.event = {recorded.start_ns[row],
                   recorded.duration_ns[row],
                   recorded.correlation[row],
                   kNoId,
                   recorded.name[row],
                   recorded.category[row],
                   track,
                   recorded.kind[row],
                   recorded.shape[row]};
    event.row = row;
    event.stream = numbers[track] ? int64_t{*numbers[track]} : static_cast<int64_t>(stream_of(recorded, row).stream);
    event.bytes = integer_argument(recorded, row, device_row::kBytes).value_or(0);
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const RankEvent& a, const RankEvent& b) { return a.event.start_ns < b.event.start_ns; });
  return rows;
}

// What a captured step copies may be recorded on other streams than the program's, and a device may have one stream.
bool gathers_stay_on_their_stream(const std::vector<RankEvent>& rows, const ProgramTarget& target,
                                  const RankRecords& of) {
  const bool apart = std::set(target.streams.begin(), target.streams.end()).size() == target.streams.size();
  const auto copied = [&](const RecordedCollective& collective) {
    return collective.name != "all_gather" || std::any_of(rows.begin(), rows.end(), [&](const RankEvent& row) {
             return row.event.kind == EventKind::kCopy && row.stream == collective.stream;
           });
  };
  return apart && std::all_of(of.collectives.begin(), of.collectives.end(), copied);
}

Result<void> find_collectives(std::vector<RankEvent>& rows, StringTable& texts, const ProgramTarget& target,
                              RankRecords& of) {
  CollectiveMatcher matcher(of.collectives);
  for (RankEvent& row : rows) {
    const std::string_view name = texts[row.event.name];
    if (row.event.kind == EventKind::kKernel && is_communication(name)) {
      row.collective = matcher.next(name);
    }
  }
  if (matcher.is_missing(CollectiveType::kAllGather)) {
    AACO_TRY(merge_copied_gathers(rows, texts, of, gathers_stay_on_their_stream(rows, target, of)));
    matcher.found_all(CollectiveType::kAllGather, of.steps);
  }
  if (of.paths.empty()) {  // else these are the steps one by one
    of.paths = paths_of(rows, texts, of);
  }
  if (const std::string wrong = matcher.wrong_count(of.steps); !wrong.empty()) {
    return Error{ErrorKind::kInvalid, fmt::format("rank {}: the records have {}", of.rank, wrong),
                 "the collector lost records, or the library does a collective by several kernels"};
  }
  return {};
}

class RankTable {
 public:
  // The recorded texts move into the table.
  RankTable(EventTable& recorded, const RankRecords& records) : recorded_(recorded), records_(records) {
    events_.recordings.push_back({"overlap", "aaco"});
    events_.strings = std::move(recorded.strings);
    tracks_.resize(recorded.tracks.size(), kNone);
  }

  void add(const RankEvent& row) {
    TraceEvent event = row.event;
    event.track = track_of(row);
    if (row.collective >= 0) {
      events_.add(event, arguments_of(records_.collectives.at(static_cast<size_t>(row.collective))));
      return;
    }
    events_.add(event);
    for (size_t i = recorded_.arguments.begin(row.row); i < recorded_.arguments.end(row.row); ++i) {
      events_.arguments.add(recorded_.arguments[i]);
    }
    events_.arguments.end_event();
  }

  EventTable take() { return std::move(events_); }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

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

  uint32_t track_of(const RankEvent& row) {
    uint32_t& number = tracks_[row.event.track];
    if (number == kNone) {
      number = static_cast<uint32_t>(events_.tracks.size());
      Track track = recorded_.tracks[row.event.track];
      track.rank = records_.rank;
      track.process = events_.strings.intern(fmt::format("rank {}", records_.rank));
      if (track.device != kNoId) {
        track.device = records_.rank;
        track.stream = row.stream;
        track.thread =
            events_.strings.intern(row.stream < kShardedStreams ? name_of(static_cast<ShardedStream>(row.stream))
                                                                : fmt::format("stream {}", row.stream));
      }
      track.process_name = track.process;
      track.thread_name = track.thread;
      events_.tracks.push_back(track);
    }
    return number;
  }

  const EventTable& recorded_;
  const RankRecords& records_;
  EventTable events_;
  std::vector<uint32_t> tracks_;  // by recorded track
};

}  // namespace

Result<EventTable> events_of_rank(EventTable recorded, const ProgramTarget& target, RankRecords& of) {
  std::vector<RankEvent> rows = rows_by_start(recorded, target);
  AACO_TRY(find_collectives(rows, recorded.strings, target, of));
  RankTable table(recorded, of);
  for (const RankEvent& row : rows) {
    table.add(row);
  }
  return table.take();
}

std::string rank_journal_name(StepJournal steps, int64_t rank) {
  return fmt::format("{}_p{}.jrn", steps == StepJournal::kOverlapped ? "overlapped" : "one_by_one", rank);
}

Result<EventTable> read_rank_journals(const std::filesystem::path& folder, StepJournal steps,
                                      std::span<const int64_t> ahead_ns) {
  EventTable all;
  all.recordings.push_back({"overlap", "aaco"});
  TrackIndex tracks(all);
  const std::vector<uint32_t> recordings{0};
  for (size_t rank = 0; rank < ahead_ns.size(); ++rank) {
    const std::filesystem::path path = folder / rank_journal_name(steps, static_cast<int64_t>(rank));
    EventPart part;
    bool torn = false;
    AACO_ASSIGN(part.table(), read_event_journal(path, &torn));
    if (torn || part.table().recordings.size() != recordings.size()) {
      return Error{ErrorKind::kUsage, path.string() + ": not as it was written", "run it again"};
    }
    for (int64_t& start_ns : part.table().start_ns.view()) {
      start_ns -= ahead_ns[rank];
    }
    part.append_to(all, tracks, recordings);
  }
  return all;
}

}  // namespace aaco
