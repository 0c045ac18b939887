// SPDX-License-Identifier: MIT
// Loads a shared library into a process that runs, and calls a function of it, without ending or slowing the process.
//
// One of its threads is stopped, at a point where it holds no lock that matters (safe_point.h), and has the kernel map
// some pages and then calls pthread_create, on a stack of its own; it goes on within a millisecond as if nothing had
// been. All else is done by the thread that this starts, which may wait for any lock as any thread may: dlopen, the
// function, and giving the pages back.
#pragma once

#include <cstdint>
#include <string>

#include "base/attach/target_process.h"
#include "base/result.h"

namespace aaco {

struct LibraryRequest {
  std::string library;   // path
  std::string function;  // int(const char*)
  std::string argument;  // of it
};

struct AttachFacts {
  int64_t stops = 0;       // of threads, until one was at a safe point
  int64_t stopped_ns = 0;  // how long they stood still together
};

// It was called, and is at work or has ended. Errors: kUnavailable, why it cannot be.
Result<AttachFacts> load_into(const TargetProcess& target, const LibraryRequest& request);

}  // namespace aaco
