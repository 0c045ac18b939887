// SPDX-License-Identifier: MIT
// A session as the guard keeps and judges it. Of a trace the samples are its figures, each with a value for each
// device: window, computation, exposed communication, exposed copies, idle, and the total of each of the longest
// kernels.
#pragma once

#include <string>

#include "kind/compared_session.h"

namespace aaco {

struct GuardedSession {
  const Kind* kind = nullptr;
  bool is_run = false;  // judged node by node; else sample by sample
  ComparedSession session;
};

// Errors: kUsage for a session of a kind that is not compared, and as load_session.
Result<GuardedSession> load_guarded_session(const std::string& sessions, const std::string& session);

}  // namespace aaco
