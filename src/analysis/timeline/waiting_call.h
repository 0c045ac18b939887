// SPDX-License-Identifier: MIT
// Which calls wait, by name.
#pragma once

#include <string_view>

namespace aaco {

// Returns when the device has done what it names: a synchronisation, a copy that blocks, a wait for a signal of HSA.
bool waits_for_device(std::string_view call);

// In which the operating system may let the thread sleep until something else happens: poll, pthread_cond_wait, read of
// a pipe... (POSIX and Linux, as profilers of the OS runtime record them).
bool may_sleep(std::string_view call);

// Makes a stream wait for an event: cudaStreamWaitEvent, hipStreamWaitEvent, cuStreamWaitEvent.
bool orders_streams(std::string_view call);

}  // namespace aaco
