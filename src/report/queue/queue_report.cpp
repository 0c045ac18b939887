// SPDX-License-Identifier: MIT
#include "report/queue/queue_report.h"

#include <filesystem>

#include "base/json.h"
#include "report/sections/document_report.h"
#include "session/layout.h"
#include "session/trace_tables.h"

namespace aaco::report {

namespace {

namespace fs = std::filesystem;

Result<Report> with_events(const OpenSession& session, const Json& document) {
  std::error_code ignored;
  if (!fs::exists(session.path / layout::kTraceEvents, ignored)) {
    return build_queue_run_report(session, document, nullptr);
  }
  AACO_ASSIGN(const EventTable events, read_trace_tables(session.path));
  return build_queue_run_report(session, document, &events);
}

}  // namespace

Result<Report> queue_run_report(const OpenSession& session) { return report_of_document(session, with_events); }

Result<Report> queue_sweep_report(const OpenSession& session) {
  return report_of_document(session, build_queue_sweep_report);
}

Result<Report> queue_probe_report(const OpenSession& session) {
  return report_of_document(session, build_queue_probe_report);
}

}  // namespace aaco::report
