// SPDX-License-Identifier: MIT
// What a run came to.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/results.h"

namespace aaco {

struct RunOutcome {
  std::filesystem::path bundle;
  std::string status;  // of the closed session: "complete", "invalid"
  std::string status_reason;
  RunFacts facts;
  Analysis analysis;
  std::vector<std::string> notes;       // choices made for the user, and warnings
  std::vector<std::string> mismatches;  // of --expect
};

}  // namespace aaco
