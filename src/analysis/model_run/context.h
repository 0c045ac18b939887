// SPDX-License-Identifier: MIT
// What the analyses of one run share: the recording, and what several of them start from.
#pragma once

#include <string>
#include <vector>

#include "analysis/model_run/profile/node_time.h"
#include "analysis/model_run/profile/profile_view.h"
#include "analysis/model_run/results.h"

namespace aaco {

struct Context {
  const Recording& recording;
  Analysis& analysis;  // what earlier analyses found
  ProfileView profile;
  NodeTimes nodes;
  bool lacks_device = false;  // a GPU without device activity

  // Unprofiled latency, or null.
  const LatencySummary* latency() const { return analysis.primary_latency(); }
  // The usable value of an earlier metric, or none.
  std::optional<double> value(std::string_view id) const {
    const MetricValue* metric = analysis.metric(id);
    return metric != nullptr && usable(*metric) ? metric->value : std::nullopt;
  }
};

}  // namespace aaco
