// SPDX-License-Identifier: MIT
// Who records: what session.json says so that a reader can tell a running session from a killed one.
#pragma once

#include <cstdint>
#include <string>

#include "session/session.h"

namespace aaco {

// It is complete, and of a kind that has iterations then.
bool needs_iterations(const SessionInfo& info);

// Its model or workload, else what sessions of its kind are about; empty where that is nothing.
std::string subject_of(const SessionInfo& info);

// The document of a session of this kind. Errors: kUsage for a session of another.
Result<JsonValue> read_session_document(const std::filesystem::path& session, const SessionKindTraits& kind);

// What is said where something is asked of a session of a kind that this version does not know.
Error unknown_kind(const std::filesystem::path& session, const SessionKind& kind);

// Of the running kernel; empty where /proc does not tell.
std::string boot_id();

// When this process started, in clock ticks since boot (proc(5), field 22 of stat); 0 where /proc does not tell.
int64_t own_start_ticks();

}  // namespace aaco
