// SPDX-License-Identifier: MIT
// How far a session has come, or how it ended. The words of session.json, of baselines and of sweeps.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/json/json_fwd.h"
#include "base/result.h"

namespace aaco {

enum class SessionStatus : uint8_t {
  kUnknown,  // not said
  kRunning,
  kIncomplete,  // "running", of a process that is no more
  kComplete,
  kInterrupted,
  kFailed,
  kInvalid,  // ended, but what was computed is wrong
  kDamaged   // session.json cannot be read
};

const char* session_status_name(SessionStatus status);  // "running", ...; "" where it is not known
std::optional<SessionStatus> parse_session_status(std::string_view text);

// Of a session that this error ends.
SessionStatus status_after(const Error& error);

// Recorded to an end, good or bad.
bool is_closed(SessionStatus status);

void to_json(Json& json, SessionStatus status);
// A word that is not known reads as kUnknown.
void from_json(const Json& json, SessionStatus& status);

}  // namespace aaco
