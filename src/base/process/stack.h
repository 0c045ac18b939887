// SPDX-License-Identifier: MIT
// Room for the calls of the program, whatever `ulimit -s` says.
#pragma once

namespace aaco {

// Raises the main thread's stack to 8 MiB where the hard limit allows it, and gives threads as much. A stack that is
// still too small is an error with exit code 6 instead of a signal. Once, before there are threads.
void prepare_stack();

}  // namespace aaco
