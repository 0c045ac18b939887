// SPDX-License-Identifier: MIT
#include "session/close_session.h"

#include <system_error>
#include <unistd.h>

#include "base/interrupt.h"

namespace aaco {

namespace {

// A file of the session that is not there any more reads as a bad path, which nobody gave.
Error cause_of(const SessionWriter& session, Error error) {
  if (error.kind != ErrorKind::kUsage) {
    return error;
  }
  if (const Result<void> there = session.expect_recorded(); !there) {
    return there.error();
  }
  if (error.message.find(session.path().string()) != std::string::npos) {
    error.kind = ErrorKind::kResource;
    error.hint = lost_recording(session.path(), "").hint;
  }
  return error;
}

}  // namespace

SessionEnd end_after(const std::optional<Error>& stopped_by) {
  return stopped_by ? SessionEnd{status_after(*stopped_by), stopped_by->message} : SessionEnd();
}

Result<void> close_session(SessionWriter& session, const Result<SessionEnd>& end) {
  if (end) {
    return session.close(end->status, end->reason);
  }
  Error cause = cause_of(session, end.error());
  if (const Result<void> closed = session.close(status_after(cause), cause.message); !closed) {
    cause.hint += cause.hint.empty() ? "" : "; ";
    cause.hint += "nor could its session be closed: " + closed.error().message;
  }
  return cause;
}

Result<void> refuse_session(SessionWriter& session, const Error& error) {
  const Error cause = cause_of(session, error);
  if (cause.kind != ErrorKind::kUsage) {
    return close_session(session, cause);
  }
  std::error_code ignored;
  std::filesystem::remove_all(session.path(), ignored);
  ::rmdir(session.path().parent_path().c_str());  // the date's folder, if that was its only one
  close_done();
  return cause;
}

}  // namespace aaco
