// SPDX-License-Identifier: MIT
// What a rank's device recorded of its steps, as its process hands it over, and the table that all ranks' make.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/overlap/overlap_document.h"
#include "base/json_fwd.h"
#include "base/result.h"
#include "trace/device_activity.h"
#include "trace/event_table.h"
#include "workload/dispatch.h"
#include "workload/sharded/communicator_ranks.h"

namespace aaco {

// Columns of a record; times are of the session clock, which ranks of one machine share.
struct RecordRow {
  int64_t start_ns = 0;
  int64_t end_ns = 0;
  int64_t correlation = -1;
  int64_t stream = 0;  // of the program; of host calls the thread
  int64_t kind = 0;    // an ActivityKind
  int64_t name = 0;    // of RankRecords::names
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

struct RankRecords {
  int64_t rank = 0;
  int64_t steps = 0;  // of each
  int64_t dropped = 0;
  std::vector<std::string> names;
  std::vector<RecordedCollective> collectives;  // of one step, in the program's order
  std::vector<CollectivePathTaken> paths;       // of the overlapped steps
  std::vector<RecordRow> overlapped;
  std::vector<RecordRow> alone;  // Program::one_by_one()
};

void to_json(Json& json, const RecordRow& row);
void from_json(const Json& json, RecordRow& row);
void to_json(Json& json, const RecordedCollective& collective);
void from_json(const Json& json, RecordedCollective& collective);
void to_json(Json& json, const RankRecords& records);
void from_json(const Json& json, RankRecords& records);

// `groups`: by communicator.
std::vector<RecordedCollective> collectives_of(const Program& step, std::span<const RankGroup> groups);

// The records of `steps` steps; of.paths as those of the first call show them. Each kernel of a collective is told
// apart by its kind and place: those of one kind begin in the program's order, on one communicator or because the last
// of them, the sum of norms, waits for the others. Errors: kInvalid where there are more or fewer than the steps have.
// Where copy engines gathered, copies of one gather become one row of its name (copied_gathers.h).
Result<std::vector<RecordRow>> rows_of(const std::vector<ActivityRecord>& records, const ActivitySink& sink,
                                       const ProgramTarget& target, RankRecords& of);

// All ranks' as one table: a track per rank and stream, named as the streams are.
EventTable events_of_ranks(std::span<const RankRecords> ranks, std::vector<RecordRow> RankRecords::* rows);

}  // namespace aaco
