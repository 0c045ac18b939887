// SPDX-License-Identifier: MIT
// What a session of a run that ended by itself keeps of that (metrics/until.json).
#pragma once

#include <optional>

#include "base/result.h"
#include "record/until.h"
#include "session/session.h"

namespace aaco {

Result<void> keep_until(SessionWriter& session, const UntilFacts& facts);
// None of a run with a given number of processes. Errors: kUsage for a damaged document.
Result<std::optional<UntilFacts>> read_until(const OpenSession& session);

}  // namespace aaco
