// SPDX-License-Identifier: MIT
// A session whose observer was killed: its journals are there, and its tables are not.
#pragma once

#include <string>

#include "base/result.h"
#include "kind/observation/observation_run.h"

namespace aaco {

// Closes it from its journals. Errors: kUsage for a session that is none, or has no journal; those of the session.
Result<Observation> recover_observation(const std::string& session);

}  // namespace aaco
