// SPDX-License-Identifier: MIT
#include "kind/sweep/training_study_run.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>

#include "base/json/json.h"
#include "kind/sweep/sweep_kinds.h"
#include "kind/training/document/training_request.h"
#include "kind/training/worker/prepared_training.h"
#include "session/session_info.h"

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

// Of the trainings of a recorded study that were measured.
Result<std::vector<TrainingRequest>> requests_again(const std::filesystem::path& bundle, const std::string& sessions) {
  AACO_ASSIGN(const JsonValue json, read_session_document(bundle, kTrainingStudy.traits));
  AACO_ASSIGN(const TrainingStudyDocument study, read_training_study(*json, bundle.string()));
  std::vector<TrainingRequest> requests;
  for (const StudyCell& cell : study.cells) {
    if (cell.run) {
      requests.push_back(training_again(cell.request, sessions));
    }
  }
  return requests.empty() ? Error{ErrorKind::kUnavailable, bundle.string() + ": none of its trainings was measured",
                                  "record the study again with aaco llama study"}
                          : Result<std::vector<TrainingRequest>>(std::move(requests));
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

Result<std::pair<std::filesystem::path, std::filesystem::path>> rerun_training_studies(
    const std::filesystem::path& baseline, const std::filesystem::path& test, const std::string& sessions,
    const ProgressCallback& progress) {
  std::array<std::vector<TrainingRequest>, 2> requests;
  AACO_ASSIGN(requests[0], requests_again(baseline, sessions));
  AACO_ASSIGN(requests[1], requests_again(test, sessions));
  const std::vector<SweepMember> members = members_in_turns(requests[0].size(), requests[1].size());
  std::vector<TrainingRequest> in_turns;
  for (const SweepMember& member : members) {
    in_turns.push_back(requests[member.side][member.index]);
  }
  AACO_ASSIGN(std::vector<TrainingAttempt> attempts, attempt_trainings(in_turns, progress));
  std::array<std::vector<TrainingAttempt>, 2> attempts_of;
  for (size_t i = 0; i < members.size(); ++i) {
    attempts_of[members[i].side].push_back(std::move(attempts[i]));
  }
  std::array<std::filesystem::path, 2> bundles;
  for (size_t side = 0; side < bundles.size(); ++side) {
    const TrainingRequest& base = requests[side].front();
    SweepOutcome<TrainingStudyDocument> outcome = study_outcome(requests[side], std::move(attempts_of[side]));
    AACO_TRY(keep_sweep({kTrainingStudy, sessions, base.command_line, facts_of(base), "study"}, outcome,
                        read_training_study));
    if (outcome.failure) {
      return *outcome.failure;
    }
    bundles[side] = outcome.document.bundle;
  }
  return std::pair(bundles[0], bundles[1]);
}

}  // namespace aaco
