// SPDX-License-Identifier: MIT
// Kinds of sessions for tests of rooms that know none: one with iterations and a model, one without, one with a
// subject.
#pragma once

#include "session/bundle/layout.h"
#include "session/session_kind.h"

namespace aaco::test_kind {

inline constexpr SessionKindTraits kMeasured{
    .id = "run", .command = "aaco run", .has_iterations = true, .has_model = true, .size = SessionSize::kBatch};
inline constexpr SessionKindTraits kFiles{.id = "trace", .command = "aaco trace", .document = layout::kTraceFiles};
inline constexpr SessionKindTraits kNamed{.id = "queue_probe", .command = "aaco queue", .subject = "probe"};

// Before the first test: in a program that lists its kinds itself, theirs are the ones that count.
inline const bool kListed = [] {
  if (session_kinds().empty()) {
    use_session_kinds({&kMeasured, &kFiles, &kNamed});
  }
  return true;
}();

}  // namespace aaco::test_kind
