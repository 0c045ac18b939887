// SPDX-License-Identifier: MIT
// How two sessions are compared: what their kind says. To add it for a kind: its line in all_session_comparers.cpp.
#pragma once

#include <span>

#include "cli/diff_command.h"

#include "session/session_kind.h"

namespace aaco {

struct SessionComparer {
  const SessionKindTraits* kind;
  Result<int> (*diff)(const DiffFlags&);  // of `aaco diff`
};

// A line for each of session_kinds().
std::span<const SessionComparer> session_comparers();

// Null for a kind that this version does not know.
const SessionComparer* session_comparer(const SessionKind& kind);

}  // namespace aaco
