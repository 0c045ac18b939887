// SPDX-License-Identifier: MIT
// Ctrl-C as a flag that long work looks at, so that bundles close properly; and an end for work that does not look.
#pragma once

#include <exception>

#include "base/result.h"

namespace aaco {

// Catches SIGINT, SIGTERM and SIGHUP from now on. The first sets interrupted(). A process that has not ended 1.25 s
// later, in a library for instance, ends then: with exit code 130, "aaco: interrupted" and without unfinished files
// (unfinished_path.h). Where a close is awaited (await_close()) it ends after 1.5 s of processor time, or 8 s. A second
// SIGINT ends the program at once. A SIGINT that a library raises in this process is nobody's wish, and is left.
// Errors: kResource, where there can be no more files.
Result<void> catch_interrupts();
bool interrupted();

// What long work throws that has no Result to return.
class Interruption : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};
// Throws Interruption where that is so. Costs one relaxed load.
void end_if_interrupted();

// A session is open: its close is worth some more time. In pairs.
void await_close();
void close_done();

// Becomes readable when interrupted() becomes true, and stays so: for a poll that must not wake in vain. -1 before
// catch_interrupts().
int interrupted_fd();

}  // namespace aaco
