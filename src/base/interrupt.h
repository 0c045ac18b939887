// SPDX-License-Identifier: MIT
// Ctrl-C as a flag that long work looks at, so that bundles close properly.
#pragma once

namespace aaco {

// Catches SIGINT, SIGTERM and SIGHUP from now on; a second SIGINT ends the program at once.
void catch_interrupts();
bool interrupted();

// Becomes readable when interrupted() becomes true, and stays so: for a poll that must not wake in vain. -1 before
// catch_interrupts() and where there can be no more files.
int interrupted_fd();

}  // namespace aaco
