// SPDX-License-Identifier: MIT
// Which calls of a runtime wait for the device, by name.
#pragma once

#include <string_view>

namespace aaco {

// Returns when the device has done what it names: a synchronisation, or a copy that blocks.
bool waits_for_device(std::string_view call);

// Makes a stream wait for an event: cudaStreamWaitEvent, hipStreamWaitEvent, cuStreamWaitEvent.
bool orders_streams(std::string_view call);

}  // namespace aaco
