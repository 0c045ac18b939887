// SPDX-License-Identifier: MIT
#include "kind/queue_run/report/queue_report.h"

#include <filesystem>

#include "base/json/json.h"
#include "report/sections/document_report.h"
#include "session/bundle/layout.h"
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

}  // namespace aaco::report
