// SPDX-License-Identifier: MIT
#include "kind/all_kinds.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "engine/ranks/rank_exchange.h"
#include "report/host/host_section.h"
#include "session/session_info.h"

// A kind of session is its folder and its line here.
#define AACO_KINDS(KIND) \
  KIND(kModelRun)        \
  KIND(kModelSweep)      \
  KIND(kQueueRun)        \
  KIND(kQueueSweep)      \
  KIND(kQueueProbe)      \
  KIND(kTraining)        \
  KIND(kTrainingStudy)   \
  KIND(kSharded)         \
  KIND(kCopyOverlap)     \
  KIND(kShardedSweep)    \
  KIND(kObservation)     \
  KIND(kTrace)

namespace aaco {

#define AACO_DECLARE(kind) extern const Kind kind;
AACO_KINDS(AACO_DECLARE)

namespace {

#define AACO_ADDRESS(kind) &(kind),
constexpr const Kind* kKinds[] = {AACO_KINDS(AACO_ADDRESS)};

// What the kernel did with measured threads is the same for each kind that has iterations.
void add_kernel_section(const OpenSession& session, report::Report& built) {
  if (session.recording.iterations.empty() ||
      std::ranges::find(built.sections, "host", &report::Section::id) != built.sections.end()) {
    return;
  }
  if (std::optional<report::Section> section =
          report::host_section(session.recording, report::asks_for_kernel_plane(session.info))) {
    built.sections.push_back(std::move(*section));
  }
}

}  // namespace

std::span<const Kind* const> all_kinds() { return kKinds; }

void use_all_kinds() {
  std::vector<const SessionKindTraits*> traits;
  std::transform(std::begin(kKinds), std::end(kKinds), std::back_inserter(traits),
                 [](const Kind* kind) { return &kind->traits; });
  use_session_kinds(std::move(traits));
}

const Kind* find_kind(const SessionKind& wanted) {
  const auto* const kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                        [&](const Kind* other) { return other->traits.id == wanted.word(); });
  return kind == std::end(kKinds) ? nullptr : *kind;
}

std::vector<WorkerRole> all_worker_roles() {
  std::vector<WorkerRole> roles{{role::kRankExchange, rank_exchange_role}};
  for (const Kind* kind : kKinds) {
    roles.insert(roles.end(), kind->roles.begin(), kind->roles.end());
  }
  return roles;
}

Result<report::Report> build_session_report(const OpenSession& session, bool exact) {
  const Kind* kind = find_kind(session.info.kind);
  if (kind == nullptr) {
    return unknown_kind(session.path, session.info.kind);
  }
  AACO_ASSIGN(report::Report built,
              exact && kind->exact_report != nullptr ? kind->exact_report(session) : kind->report(session));
  add_kernel_section(session, built);
  return built;
}

}  // namespace aaco
