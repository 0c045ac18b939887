// SPDX-License-Identifier: MIT
// What limits a run, by trees that learned it from runs whose limit was known (bench/classifier). It stands beside the
// rules of analysis/model_run/conclusions, and names only classes that they lack or that it knows better, on models
// that it had not seen. docs/measuring/learned-classifier.md says how good it is, and on what.
#pragma once

#include "analysis/model_run/results.h"

namespace aaco {

// Of a run on processors with the metrics of its analysis; on a GPU, where the trees learned nothing, it says so.
LearnedLimit learned_limit(const std::vector<MetricValue>& metrics, DeviceKind device);

}  // namespace aaco
