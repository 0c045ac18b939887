// SPDX-License-Identifier: MIT
// The report of a training run: of its session, and of its document alone as a terminal shows it.
#pragma once

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "kind/training/document/training_run_document.h"
#include "report/report_model.h"
#include "session/session.h"

namespace aaco::report {

// Of a session. One that ended before it had figures is a report that says so. Errors: kUsage for a damaged file.
Result<Report> training_run_report(const OpenSession& session);
// The same from the document, metrics/training.json.
Result<Report> build_training_run_report(const OpenSession& session, const Json& document);

// What `aaco llama run` prints: the same sections, without those that only a session has.
Report build_training_run_summary(const TrainingRunDocument& document);

}  // namespace aaco::report
