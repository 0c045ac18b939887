// SPDX-License-Identifier: MIT
// How every session is closed, once, after whatever happened to it.
#pragma once

#include <optional>
#include <string>

#include "session/session.h"

namespace aaco {

// What a session that was recorded to its end, good or bad, says of itself.
struct SessionEnd {
  SessionStatus status = SessionStatus::kComplete;
  std::string reason;
};

// Of a sweep: what ended it early, where something did, is what its session says, and no error of it.
SessionEnd end_after(const std::optional<Error>& stopped_by);

// Closes as `end` says, or, where that is an error, as what it makes of the session (status_after), and returns it: the
// cause stays what it is, and a close that fails then is told in its hint. A close that fails alone is the error; files
// of the session that are gone are the cause where it would be a bad path.
Result<void> close_session(SessionWriter& session, const Result<SessionEnd>& end);

// Of a command line that was found to be wrong before anything was recorded: removes the session, and returns `error`.
// Where the error is none of the command line's, as close_session() tells them apart, closes it instead.
Result<void> refuse_session(SessionWriter& session, const Error& error);

}  // namespace aaco
