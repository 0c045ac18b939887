// SPDX-License-Identifier: MIT
// Ctrl-C as a flag that long work looks at, so that bundles close properly.
#pragma once

namespace aaco {

// Catches SIGINT, SIGTERM and SIGHUP from now on; a second SIGINT ends the program at once.
void catch_interrupts();
bool interrupted();

}  // namespace aaco
