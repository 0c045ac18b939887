// SPDX-License-Identifier: MIT
// Versions of a training beside each other: what each step of the ladder bought.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kind/training/document/training_run_document.h"

namespace aaco {

// One version, beside the first of the ladder and the one before it.
struct LadderRow {
  int32_t version = 0;
  std::string bundle;
  std::optional<Estimate> step_ns;
  std::optional<Estimate> speedup;       // of the first version's steps over its own, process by process
  std::optional<Estimate> speedup_step;  // the same over the version before
  std::optional<double> mfu;
  int64_t operations = 0;
  std::optional<double> kernels;   // of the device a step, and calls of the host that enqueued something: its own
  std::optional<double> launches;  // records, where it was recorded
  double ideal_bytes = 0;
  int64_t peak_bytes = 0;
  std::optional<double> last_loss;
  TrainingEnergy energy;
};

struct TrainingLadder {
  std::vector<LadderRow> rows;
  std::string not_comparable;  // why their speeds say nothing of each other; empty: they do
};

// Why the speeds of two trainings say nothing of each other: what differs besides the version, its dispatch and its
// number of operations. Of complete requests; empty: they are the same training. Pure.
std::string request_difference(const TrainingRequest& first, const TrainingRequest& other);

// Of runs whose processes took turns, in the order given. Ratios are of processes of the same number, which ran beside
// each other; their median, and an interval from three processes on. Pure.
TrainingLadder training_ladder(const std::vector<TrainingRunDocument>& runs);

void to_json(Json& json, const LadderRow& row);
void to_json(Json& json, const TrainingLadder& ladder);

}  // namespace aaco
