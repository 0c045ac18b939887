// SPDX-License-Identifier: MIT
// A session's recording as a side of a comparison.
#pragma once

#include "analysis/model_run/results.h"
#include "session/session.h"
#include "verdict/named_sample.h"

namespace aaco {

// Errors: kUsage for a damaged file of the bundle.
Result<NamedSample> recorded_sample(const OpenSession& session, const Analysis& analysis);

}  // namespace aaco
