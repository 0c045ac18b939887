// SPDX-License-Identifier: MIT
#include "cli/llama/beside_first.h"

#include <fmt/format.h>

#include "kind/compared_session.h"
#include "kind/training_samples.h"

namespace aaco {

Result<TrainingRunDocument> load_first_version(const std::string& sessions, const std::string& name) {
  AACO_ASSIGN(const JsonValue document, load_document(training_samples, sessions, name));
  AACO_ASSIGN(const TrainingStudyDocument study, read_study(document, name));
  if (study.cells.size() != 1 || !study.cells.front().run || study.cells.front().run->request.version != 1) {
    return Error{ErrorKind::kUsage, fmt::format("--compare-with-v1 {}: is no training of version 1", name),
                 "aaco llama run --version 1 --output FILE writes one"};
  }
  return *study.cells.front().run;
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
