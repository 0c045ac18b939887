// SPDX-License-Identifier: MIT
// The roofs that a run is held against: those kept for this machine, or measured now, before anything else is.
#pragma once

#include <string>

#include "base/result.h"
#include "engine/progress.h"
#include "record/recording.h"

namespace aaco {

// Puts the roofs of as many threads as the run's workers have into `facts`, or why there are none. `measure`: takes
// them where none are kept for that many threads (some seconds), and keeps them, unless other programs were busy
// meanwhile. Returns a line that says what was measured; "" where nothing was. Errors: kInterrupted, and kInvalid from
// a faulty processor; else a run goes on without.
Result<std::string> add_roofs(RunFacts& facts, bool measure, const ProgressCallback& progress);

}  // namespace aaco
