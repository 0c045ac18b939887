// SPDX-License-Identifier: MIT
#include "session/session_kind.h"

#include <algorithm>

namespace aaco {

namespace {

constexpr const SessionKindTraits* kKinds[] = {
    &session_kind::kRun,           &session_kind::kSweep,      &session_kind::kQueueRun,
    &session_kind::kQueueSweep,    &session_kind::kQueueProbe, &session_kind::kTraining,
    &session_kind::kTrainingStudy, &session_kind::kOverlap,    &session_kind::kCopyOverlap,
    &session_kind::kOverlapSweep,  &session_kind::kTrace,
};

constexpr SessionKindTraits kUnknown{.id = ""};

const SessionKindTraits& traits_of(std::string_view word) {
  const auto found =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const auto* traits) { return traits->id == word; });
  return found == std::end(kKinds) ? kUnknown : **found;
}

}  // namespace

std::span<const SessionKindTraits* const> session_kinds() { return kKinds; }

SessionKind::SessionKind(std::string_view word) : word_(word), traits_(&traits_of(word)) {}

bool SessionKind::is_known() const { return traits_ != &kUnknown; }

}  // namespace aaco
