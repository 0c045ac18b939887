// SPDX-License-Identifier: MIT
// What a rank's device recorded of its steps, as its process hands it over: facts as a document, events as journals.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "kind/sharded/analysis/sharded_document.h"
#include "record/events/event_row.h"
#include "record/events/event_table.h"
#include "workload/dispatch.h"
#include "workload/sharded/communication/communicator_ranks.h"

namespace aaco {

// An event while a rank's process tells collectives apart; times are of the session clock.
struct RankEvent {
  TraceEvent event;    // names and tracks as the collector's table has them
  EventRow row = 0;    // there
  int64_t stream = 0;  // of the program; another one's as the device numbers it; of host calls the thread's track
  int64_t bytes = 0;
  int64_t collective = -1;  // of RankRecords::collectives
};

// A collective of the step.
struct RecordedCollective {
  std::string name;              // "all_gather"
  std::string group;             // "communicator 0"
  std::vector<int32_t> members;  // the ranks that it joins
  std::string element;
  int64_t stream = 0;  // of the program
  int64_t bytes = 0;   // that a rank sends
  int64_t in_elements = 0;
  int64_t out_elements = 0;
};

// Its document has all but the collectives: these are for telling collectives apart, in the rank's process.
struct RankRecords {
  int64_t rank = 0;
  int64_t steps = 0;                            // of each recording
  int64_t turn_steps = 0;                       // of a turn
  std::vector<RecordedTurn> turns;              // of both recordings
  std::vector<CollectivePathTaken> paths;       // of the overlapped steps
  std::vector<RecordedCollective> collectives;  // of one step, in the program's order
};

// Which steps a journal of events is of.
enum class StepJournal { kOverlapped, kOneByOne };

void to_json(Json& json, const RankRecords& records);
void from_json(const Json& json, RankRecords& records);

// `groups`: by communicator.
std::vector<RecordedCollective> collectives_of(const Program& step, std::span<const RankGroup> groups);

// What the collector recorded of `of.steps` steps as a rank's events: by start, a track per stream, named as the
// streams are, collectives with their arguments; without losses. of.paths are those that the first call shows. Each
// kernel of a collective is told apart by its kind and place: those of one kind begin in the program's order, on one
// communicator or because the last of them, the sum of norms, waits for the others. Errors: kInvalid where there are
// more or fewer than the steps have. Where copy engines gathered, copies of one gather become one row of its name
// (copied_gathers.h).
Result<EventTable> events_of_rank(EventTable recorded, const ProgramTarget& target, RankRecords& of);

// "overlapped_p3.jrn": in the run's working folder, which a closed session does not keep.
std::string rank_journal_name(StepJournal steps, int64_t rank);
// All ranks' journals as one table. `ahead_ns`: by rank, how far ahead of the session's clock that of its node is.
// Errors: those of read_event_journal, and kUsage where one was not written to its end.
Result<EventTable> read_rank_journals(const std::filesystem::path& folder, StepJournal steps,
                                      std::span<const int64_t> ahead_ns);

}  // namespace aaco
