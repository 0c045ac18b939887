// SPDX-License-Identifier: MIT
#include "session/close_session.h"

namespace aaco {

SessionEnd end_after(const std::optional<Error>& stopped_by) {
  return stopped_by ? SessionEnd{status_after(*stopped_by), stopped_by->message} : SessionEnd();
}

Result<void> close_session(SessionWriter& session, const Result<SessionEnd>& end) {
  if (end) {
    return session.close(end->status, end->reason);
  }
  Error cause = end.error();
  if (const Result<void> closed = session.close(status_after(cause), cause.message); !closed) {
    cause.hint += cause.hint.empty() ? "" : "; ";
    cause.hint += "nor could its session be closed: " + closed.error().message;
  }
  return cause;
}

}  // namespace aaco
