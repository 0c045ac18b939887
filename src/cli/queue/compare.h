// SPDX-License-Identifier: MIT
// `aaco queue compare`, and `aaco diff` of two sessions of `aaco queue`.
#pragma once

#include <string>

#include "base/result.h"
#include "verdict/compare.h"

namespace aaco {

struct QueueCompareRequest {
  std::string sessions = "sessions";
  std::string baseline;  // a file, a session's folder, or the id of one
  std::string test;
  CompareOptions options;
  bool allow_inconclusive = false;
  bool json = false;
};

// Prints the comparison; the exit code.
Result<int> compare_queue_documents(const QueueCompareRequest& request);

}  // namespace aaco
