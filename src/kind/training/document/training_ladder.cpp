// SPDX-License-Identifier: MIT
#include "kind/training/document/training_ladder.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "analysis/bundle_json.h"
#include "analysis/devices/device_facts.h"
#include "base/json/json.h"

namespace aaco {

namespace {

bool is_measured(const TrainingProcess& process) { return process.steps > 0 && process.wall_ns > 0; }

double step_ns(const TrainingProcess& process) {
  return static_cast<double>(process.wall_ns) / static_cast<double>(process.steps);
}

std::optional<Estimate> speedup(const TrainingRunDocument& before, const TrainingRunDocument& after) {
  std::vector<double> ratios;
  const size_t count = std::min(before.processes.size(), after.processes.size());
  for (size_t i = 0; i < count; ++i) {
    if (is_measured(before.processes[i]) && is_measured(after.processes[i])) {
      ratios.push_back(step_ns(before.processes[i]) / step_ns(after.processes[i]));
    }
  }
  return estimate_over_processes(ratios);
}

bool are_known_to_differ(const std::string& a, const std::string& b) { return !a.empty() && !b.empty() && a != b; }

// "cuda:0" of one machine may be another device than that of the next.
std::string device_difference(const std::optional<DeviceFacts>& a, const std::optional<DeviceFacts>& b) {
  if (!a || !b || (!are_known_to_differ(a->name, b->name) && !are_known_to_differ(a->architecture, b->architecture))) {
    return "";
  }
  return fmt::format("they ran on different devices: {} ({}) and {} ({})", a->name, a->architecture, b->name,
                     b->architecture);
}

std::string difference(const TrainingRunDocument& first, const TrainingRunDocument& other) {
  const std::string requested = request_difference(first.request, other.request);
  return requested.empty() ? device_difference(first.device, other.device) : requested;
}

}  // namespace

std::string request_difference(const TrainingRequest& first, const TrainingRequest& other) {
  const auto shape = [](const TrainingRequest& r) {
    return std::vector{r.vocabulary, r.hidden,    r.layers, r.heads,  r.kv_heads,
                       r.inner,      r.sequences, r.length, r.batches};
  };
  if (shape(first) != shape(other)) {
    return "their sizes differ";
  }
  if (first.precision != other.precision || first.data != other.data || first.seed != other.seed ||
      first.rate != other.rate || first.weight_decay != other.weight_decay) {
    return "precision, data, seed or optimiser differ";
  }
  return first.device == other.device ? "" : "they ran on different devices";
}

TrainingLadder training_ladder(const std::vector<TrainingRunDocument>& runs) {
  TrainingLadder ladder;
  for (size_t i = 0; i < runs.size(); ++i) {
    const TrainingRunDocument& run = runs[i];
    LadderRow row;
    row.version = run.request.version;
    row.bundle = run.bundle;
    row.step_ns = run.figures.step_ns;
    row.mfu = run.figures.mfu;
    row.operations = run.work.operations;
    if (run.activity && run.activity->steps > 0) {
      row.kernels = run.activity->kernels_per_step();
      row.launches = run.activity->launches_per_step();
    }
    row.ideal_bytes = run.work.ideal_bytes;
    row.peak_bytes = run.figures.peak_bytes;
    row.last_loss = run.figures.last_loss;
    row.energy = run.figures.energy;
    if (i > 0) {
      row.speedup = speedup(runs.front(), run);
      row.speedup_step = speedup(runs[i - 1], run);
      const std::string why = difference(runs.front(), run);
      if (ladder.not_comparable.empty() && !why.empty()) {
        ladder.not_comparable = fmt::format("versions {} and {}: {}", runs.front().request.version, row.version, why);
      }
    }
    ladder.rows.push_back(std::move(row));
  }
  return ladder;
}

void to_json(Json& json, const LadderRow& row) {
  json = {{"version", row.version},
          {"bundle", row.bundle},
          {"step_ns", row.step_ns},
          {"speedup", row.speedup},
          {"speedup_over_version_before", row.speedup_step},
          {"mfu", row.mfu},
          {"operations", row.operations},
          {"kernels_per_step", row.kernels},
          {"launches_per_step", row.launches},
          {"ideal_bytes", row.ideal_bytes},
          {"peak_bytes", row.peak_bytes},
          {"last_loss", row.last_loss},
          {"energy", row.energy}};
}

void to_json(Json& json, const TrainingLadder& ladder) {
  json = {{"kind", "training_ladder"},
          {"not_comparable", ladder.not_comparable.empty() ? Json() : Json(ladder.not_comparable)},
          {"versions", ladder.rows}};
}

}  // namespace aaco
