// SPDX-License-Identifier: MIT
// The plots of a sweep's report, each over the batch.
#pragma once

#include "analysis/model_run/scaling.h"
#include "report/plot/chart.h"

namespace aaco::report {

plot::Chart throughput_by_batch(const Scaling& scaling);  // the saturation batch is marked
plot::Chart latency_by_batch(const Scaling& scaling);
plot::Chart latency_per_sample(const Scaling& scaling);
plot::Chart gain_by_batch(const Scaling& scaling);  // with the gain under which throughput is saturated

}  // namespace aaco::report
