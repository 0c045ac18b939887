// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>

#include "report/overlap/copy_report.h"
#include "report/overlap/overlap_report.h"
#include "report/overlap/overlap_sweep_report.h"
#include "report/queue/queue_report.h"
#include "report/run_report.h"
#include "report/session_report.h"
#include "report/sweep_report.h"
#include "report/training/training_run_report.h"
#include "report/training/training_study_report.h"
#include "session/session_info.h"

namespace aaco::report {

namespace {

Result<Report> refer_to_trace_report(const OpenSession& session) {
  return Error{ErrorKind::kUsage, fmt::format("{}: is an imported trace", session.path.string()),
               fmt::format("aaco trace report {} shows it", session.path.string())};
}

constexpr SessionReport kReports[] = {
    {&session_kind::kRun, run_report},
    {&session_kind::kSweep, sweep_report},
    {&session_kind::kQueueRun, queue_run_report},
    {&session_kind::kQueueSweep, queue_sweep_report},
    {&session_kind::kQueueProbe, queue_probe_report},
    {&session_kind::kTraining, training_run_report},
    {&session_kind::kTrainingStudy, training_study_report},
    {&session_kind::kOverlap, overlap_report},
    {&session_kind::kCopyOverlap, copy_report},
    {&session_kind::kOverlapSweep, overlap_sweep_report},
    {&session_kind::kTrace, refer_to_trace_report},
};

}  // namespace

std::span<const SessionReport> session_reports() { return kReports; }

Result<Report> build_session_report(const OpenSession& session) {
  const auto found = std::find_if(std::begin(kReports), std::end(kReports), [&](const SessionReport& report) {
    return report.kind == &session.info.kind.traits();
  });
  if (found == std::end(kReports)) {
    return unknown_kind(session.path, session.info.kind);
  }
  return found->build(session);
}

}  // namespace aaco::report
