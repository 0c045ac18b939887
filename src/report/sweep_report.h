// SPDX-License-Identifier: MIT
// The report of a sweep over batch sizes: throughput, latency per sample, the gain of each doubling, saturation.
#pragma once

#include "base/json_fwd.h"
#include "base/result.h"
#include "report/report_model.h"
#include "session/session.h"

namespace aaco::report {

// `sweep`: metrics/sweep.json of the session. Errors: kUsage where it is not one.
Result<Report> build_sweep_report(const OpenSession& session, const Json& sweep);

// The same of a session as it lies there.
Result<Report> sweep_report(const OpenSession& session);

}  // namespace aaco::report
