// SPDX-License-Identifier: MIT
// The report of a sweep of a sharded training: of its session, and of its document alone as a terminal shows it.
#pragma once

#include "base/result.h"
#include "kind/sweep/sharded_sweep.h"
#include "report/plot/chart.h"
#include "report/report_model.h"
#include "session/session.h"

namespace aaco::report {

// Of a session. One that ended before it had figures is a report that says so. Errors: kUsage for a damaged file.
Result<Report> sharded_sweep_report(const OpenSession& session);

// What `aaco overlap sweep` prints.
Report build_sharded_sweep_summary(const ShardedSweep& sweep);
// The step of each change, with whiskers.
plot::Chart sweep_step_chart(const ShardedSweep& sweep);

}  // namespace aaco::report
