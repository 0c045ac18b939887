// SPDX-License-Identifier: MIT
// The roofs of this machine's processors: those that are kept, or measured now and then kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/progress.h"
#include "record/recording.h"

namespace aaco {

struct HostRoofs {
  std::optional<Roofs> roofs;  // of as many threads, or of the next larger count that is kept
  std::string unavailable;     // why there are none
  std::string note;            // what was measured, or why it was not; "" where nothing had to be
};

// `measure`: takes them where none are kept for that many threads, which takes up to a minute. Not where other programs
// hold the processors: what was measured then would be no roof, each time anew. Errors: kInterrupted, and kInvalid from
// a faulty processor.
Result<HostRoofs> host_roofs(int64_t threads, bool measure, const ProgressCallback& progress);

}  // namespace aaco
