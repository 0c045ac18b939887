// SPDX-License-Identifier: MIT
// The kinds of sessions: the only list of them.
#pragma once

#include <span>
#include <vector>

#include "kind/kind.h"

namespace aaco {

std::span<const Kind* const> all_kinds();

// Makes the session room know them. A program that opens or makes sessions calls it first.
void use_all_kinds();

// Null for a kind that this version does not know.
const Kind* find_kind(const SessionKind& kind);

// What a process of a run can be told to do, of all kinds.
std::vector<WorkerRole> all_worker_roles();

// Errors: kUsage for a kind that this version does not know, or a damaged file. `exact`: Kind::exact_report.
Result<report::Report> build_session_report(const OpenSession& session, bool exact = false);

}  // namespace aaco
