// SPDX-License-Identifier: MIT
// What a run came to.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/model_run/results.h"
#include "kind/model_run/request/worker_plan.h"
#include "record/session_status.h"

namespace aaco {

struct RunOutcome {
  std::filesystem::path bundle;
  SessionStatus status = SessionStatus::kUnknown;  // of the closed session: kComplete, kInvalid
  std::string status_reason;
  RunFacts facts;
  Analysis analysis;
  std::vector<std::string> notes;       // choices made for the user, and warnings
  std::vector<std::string> mismatches;  // of --expect
  std::vector<PortNote> inputs;         // as made or given
  std::vector<std::string> empty;       // sentences about tensors without elements
};

}  // namespace aaco
