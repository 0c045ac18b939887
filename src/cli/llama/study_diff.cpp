// SPDX-License-Identifier: MIT
#include "cli/llama/study_diff.h"

#include <filesystem>
#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "session/catalog/catalog.h"
#include "session/layout.h"
#include "session/session_info.h"
#include "verdict/drift.h"
#include "verdict/training_study_compare.h"

namespace aaco {

namespace fs = std::filesystem;

namespace {

Result<TrainingStudyDocument> load_file(const fs::path& file) {
  AACO_ASSIGN(const Json document, read_json(file));
  if (document_kind(document) == TrainingRunDocument::kKind) {
    AACO_ASSIGN(const TrainingRunDocument run, read_training_run(document, file.string()));
    return study_of(run);
  }
  return read_training_study(document, file.string());
}

Result<TrainingStudyDocument> load_bundle(const fs::path& bundle) {
  AACO_ASSIGN(const SessionInfo info, read_session_info(bundle));
  const bool is_training = info.kind == SessionKind(session_kind::kTraining);
  if (!is_training && !(info.kind == SessionKind(session_kind::kTrainingStudy))) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: is a session of kind {}, not of aaco llama", bundle.string(), info.kind.word()),
                 "give a session of aaco llama study or run"};
  }
  if (is_training && info.status != SessionStatus::kComplete) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: is {}: {}", bundle.string(), session_status_name(info.status), info.status_reason),
                 "give a training that was measured to its end"};
  }
  return load_file(bundle / layout::kTraining);
}

}  // namespace

Result<TrainingStudyDocument> load_study(const std::string& sessions, const std::string& name) {
  std::error_code ignored;
  if (fs::is_regular_file(name, ignored)) {
    return load_file(name);
  }
  if (fs::path(name).extension() == ".json") {
    return Error{ErrorKind::kUsage, name + ": there is no such file", "aaco llama study --output FILE writes one"};
  }
  AACO_ASSIGN(const fs::path bundle, find_session(sessions, name));
  return load_bundle(bundle);
}

Result<PairComparisons> diff_studies(const StudyDiffRequest& request) {
  AACO_ASSIGN(const TrainingStudyDocument baseline, load_study(request.sessions, request.baseline));
  AACO_ASSIGN(const fs::path bundle, find_session(request.sessions, request.test));
  AACO_ASSIGN(const TrainingStudyDocument test, load_bundle(bundle));
  if (baseline.bundle == test.bundle && baseline.created_utc == test.created_utc) {
    return Error{ErrorKind::kUsage, "both sides are the study of " + test.bundle,
                 "record another with aaco llama study"};
  }
  CompareOptions options = request.options;
  if (!request.drift_is_given) {
    AACO_ASSIGN(const Json environment, read_json(bundle / layout::kEnvironment));
    AACO_TRY(add_measured_drift(environment, options));
  }
  PairComparisons comparisons = compare_studies(baseline, test, options);
  AACO_TRY(make_folders((bundle / layout::kVerdict).parent_path()));
  AACO_TRY(write_json(bundle / layout::kVerdict, Json(comparisons)));
  return comparisons;
}

}  // namespace aaco
