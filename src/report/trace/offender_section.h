// SPDX-License-Identifier: MIT
// What to do next about a trace.
#pragma once

#include <string>

#include "analysis/timeline/trace_summary.h"
#include "base/json_fwd.h"

namespace aaco::report {

Json findings_json(const TraceSummary& summary);
Json offenders_json(const TraceSummary& summary);
std::string offenders_text(const TraceSummary& summary);

}  // namespace aaco::report
