// SPDX-License-Identifier: MIT
#include "cli/llama/beside_first.h"

#include <fmt/format.h>

#include "kind/compared_session.h"
#include "kind/training/document/training_request.h"
#include "kind/training_samples.h"

namespace aaco {

Result<TrainingRunDocument> load_first_version(const std::string& sessions, const std::string& name) {
  AACO_ASSIGN(const JsonValue document, load_document(training_samples, sessions, name));
  AACO_ASSIGN(const TrainingStudyDocument study, read_study(document, name));
  if (study.cells.size() != 1 || !study.cells.front().run || study.cells.front().run->request.version != 1) {
    return Error{ErrorKind::kUsage, fmt::format("--compare-with-v1 {}: is no training of version 1", name),
                 "aaco llama run --version 1 --output FILE writes one"};
  }
  const TrainingRunDocument& first = *study.cells.front().run;
  if (const std::string why = why_no_speed(first); !why.empty()) {
    return Error{ErrorKind::kInvalid, fmt::format("--compare-with-v1 {}: {}", name, why),
                 "no speed is said of a training that is wrong: train version 1 anew"};
  }
  return first;
}

Result<void> expect_same_training(const TrainingRunDocument& first, const TrainingRequest& request) {
  AACO_ASSIGN(const TrainingRequest complete, complete_request(request));
  if (const std::string why = request_difference(first.request, complete); !why.empty()) {
    return Error{ErrorKind::kUsage,
                 fmt::format("--compare-with-v1: versions {} and {}: {}", first.request.version, complete.version, why),
                 "train version 1 with the same flags"};
  }
  return {};
}

Result<TrainingLadder> beside_first(const TrainingRunDocument& first, const TrainingRunDocument& run) {
  TrainingLadder ladder = training_ladder({first, run});
  if (!ladder.not_comparable.empty()) {
    return Error{ErrorKind::kUsage, fmt::format("--compare-with-v1: {}", ladder.not_comparable),
                 fmt::format("train version 1 with the same flags; {} has this training", run.bundle)};
  }
  return ladder;
}

}  // namespace aaco
