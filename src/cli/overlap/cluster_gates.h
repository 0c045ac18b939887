// SPDX-License-Identifier: MIT
// Whether a training is good enough for a cluster to be taken into use: the four thresholds that ROCm's validation
// suite (CVS) has, on figures of device records. A threshold that nothing can miss is refused.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kind/sharded/analysis/sharded_document.h"
#include "report/report_model.h"

namespace aaco {

// "max_avg_iteration_ms": median step of the slowest rank. "min_compute_ratio": of a step's time, the share with
// computation, of the rank that has least. "min_overlap_ratio": of the communication, the share beside computation, of
// the rank that has least. "max_time_variance_ratio": (slowest - fastest rank's median step) / fastest.
struct ClusterGate {
  std::string name;
  double threshold = 0;
};

// Each "name=number". Errors: kUsage for another name, and for a threshold that cannot be missed.
Result<std::vector<ClusterGate>> parse_cluster_gates(const std::vector<std::string>& texts);

struct GateFinding {
  ClusterGate gate;
  std::optional<double> found;  // none: it was not measured, and the gate does not hold
  bool passed = false;
};

std::vector<GateFinding> judge_cluster_gates(const std::vector<ClusterGate>& gates, const ShardedDocument& document);

// As `aaco overlap run` shows them.
report::Section gates_section(const std::vector<GateFinding>& findings);

// One line for scripts: "RESULT ranks=2 ms_per_step=1.2 ...", "none" for what was not measured. Its figures are those
// of the report: exposed_ms, overlap_ratio and compute_ratio are of the mean over ranks; a gate is of the rank that has
// least.
std::string result_line(const ShardedDocument& document);

}  // namespace aaco
