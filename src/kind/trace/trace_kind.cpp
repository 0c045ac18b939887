// SPDX-License-Identifier: MIT
#include "kind/trace/trace_kind.h"

#include <cstdint>

#include "analysis/timeline/trace_summary.h"
#include "kind/recorded_sample.h"
#include "kind/trace/trace_roofs.h"
#include "kind/trace/trace_source.h"
#include "report/trace_page/trace_page.h"
#include "session/bundle/layout.h"

namespace aaco {

namespace {

Result<report::Report> report_in(const OpenSession& session, const report::TraceDetail& detail) {
  AACO_ASSIGN(const RoofSources roofs, imports::load_roofs({}));
  AACO_ASSIGN(const imports::LoadedTrace trace, imports::load_trace({{session.path.string()}, ""}));
  AACO_TRY(expect_analysis_memory(trace.events));
  return report::build_trace_report(trace.origin, trace.events, summarise_trace(trace.events, roofs), detail);
}

Result<report::Report> trace_report(const OpenSession& session) {
  return report_in(session, {report::TraceDetail::kRows, false});
}

Result<report::Report> exact_trace_report(const OpenSession& session) { return report_in(session, {SIZE_MAX, true}); }

}  // namespace

constinit const Kind kTrace{
    .traits = {.id = "trace", .command = "aaco trace", .document = layout::kTraceFiles},
    .report = trace_report,
    .exact_report = exact_trace_report,
    .run_sample = recorded_sample,  // without iterations: found not comparable
    .settled_by =
        "a trace does not hold the command that it is of; aaco guard check --against OLD -- COMMAND times both",
};

}  // namespace aaco
