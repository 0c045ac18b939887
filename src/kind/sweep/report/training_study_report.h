// SPDX-License-Identifier: MIT
// A study of trainings: every combination beside each other, also those that were not measured.
#pragma once

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "kind/sweep/training_study.h"
#include "report/report_model.h"
#include "session/session.h"

namespace aaco::report {

// What `aaco llama study` prints.
Report build_training_study_summary(const TrainingStudyDocument& study);

// Of a session. One that ended before it had a document is a report that says so. Errors: kUsage for a damaged file.
Result<Report> training_study_report(const OpenSession& session);

}  // namespace aaco::report
