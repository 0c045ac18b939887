// SPDX-License-Identifier: MIT
#include "kind/sweep/training_study_run.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "kind/sweep/sweep_kinds.h"
#include "kind/training/document/training_request.h"
#include "kind/training/worker/prepared_training.h"

namespace aaco {

namespace {

template <class Value>
Result<void> expect_distinct(const char* flag, const std::vector<Value>& values) {
  std::set<Value> seen;
  for (const Value& value : values) {
    if (!seen.insert(value).second) {
      return Error{ErrorKind::kUsage, fmt::format("{} has {} twice", flag, value), "name each once"};
    }
  }
  return {};
}

template <class Value>
std::vector<Value> or_else(const std::vector<Value>& values, const Value& otherwise) {
  return values.empty() ? std::vector<Value>{otherwise} : values;
}

StudyOutcome outcome_after(const Error& error) {
  if (error.kind == ErrorKind::kInterrupted) {
    return StudyOutcome::kInterrupted;
  }
  return error.message.starts_with(kDoesNotFit) ? StudyOutcome::kDidNotFit : StudyOutcome::kFailed;
}

RunFacts facts_of(const TrainingRequest& base) {
  RunFacts facts;
  facts.model_name = "tiny-llama study";
  facts.backend = base.device;
  return facts;
}

}  // namespace

Result<std::vector<TrainingRequest>> study_requests(const TrainingRequest& base, const StudyAxes& axes) {
  AACO_TRY(expect_distinct("--presets", axes.presets));
  AACO_TRY(expect_distinct("--precisions", axes.precisions));
  AACO_TRY(expect_distinct("--batch-sizes", axes.sequences));
  AACO_TRY(expect_distinct("--seq-lens", axes.lengths));
  AACO_TRY(expect_distinct("--versions", axes.versions));
  std::vector<TrainingRequest> requests;
  TrainingRequest one = base;
  for (const std::string& preset : or_else(axes.presets, base.preset)) {
    one.preset = preset;
    for (const std::string& precision : or_else(axes.precisions, base.precision)) {
      one.precision = precision;
      for (const int64_t sequences : or_else(axes.sequences, base.sequences)) {
        one.sequences = sequences;
        for (const int64_t length : or_else(axes.lengths, base.length)) {
          one.length = length;
          for (const int32_t version : or_else(axes.versions, base.version)) {
            one.version = version;
            AACO_ASSIGN(requests.emplace_back(), complete_request(one));
          }
        }
      }
    }
  }
  return requests;
}

SweepOutcome<TrainingStudyDocument> study_outcome(const std::vector<TrainingRequest>& requests,
                                                  std::vector<TrainingAttempt> attempts) {
  SweepOutcome<TrainingStudyDocument> outcome;
  std::optional<Error> interrupt;
  std::optional<Error> unfit;
  size_t measured = 0;
  for (size_t i = 0; i < attempts.size(); ++i) {
    TrainingAttempt& attempt = attempts[i];
    StudyCell& cell = outcome.document.cells.emplace_back();
    cell.request = requests[i];
    cell.bundle = attempt.document.bundle;
    if (!attempt.failure) {
      cell.outcome = StudyOutcome::kMeasured;
      cell.run = std::move(attempt.document);
      ++measured;
      continue;
    }
    cell.outcome = outcome_after(*attempt.failure);
    cell.reason = attempt.failure->message;
    std::optional<Error>& first = cell.outcome == StudyOutcome::kInterrupted ? interrupt
                                  : cell.outcome == StudyOutcome::kDidNotFit ? unfit
                                                                             : outcome.failure;
    if (!first) {
      first = attempt.failure;
    }
  }
  if (interrupt) {
    outcome.failure = std::move(interrupt);
  } else if (!outcome.failure && measured == 0) {
    outcome.failure = std::move(unfit);
  }
  return outcome;
}

Result<SweepOutcome<TrainingStudyDocument>> run_training_study(const TrainingRequest& base, const StudyAxes& axes,
                                                               const ProgressCallback& progress) {
  AACO_ASSIGN(const std::vector<TrainingRequest> requests, study_requests(base, axes));
  AACO_ASSIGN(std::vector<TrainingAttempt> attempts, attempt_trainings(requests, progress));
  SweepOutcome<TrainingStudyDocument> outcome = study_outcome(requests, std::move(attempts));
  AACO_TRY(keep_sweep({kTrainingStudy, base.sessions, base.command_line, facts_of(base), "study"}, outcome,
                      read_training_study));
  return outcome;
}

}  // namespace aaco
