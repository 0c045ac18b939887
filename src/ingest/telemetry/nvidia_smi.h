// SPDX-License-Identifier: MIT
// What nvidia-smi -q -x prints: one capture of all devices as XML. Each leaf is a reading under its path. Elements
// of one name side by side, as MIG devices and processes are, are numbered from 0 in the order of the file:
// "mig_devices.mig_device[1].fb_memory_usage.used"; a single one has no number. The capture's time is the machine's
// local time without its zone; it is taken for UTC.
#pragma once

#include <string_view>

#include "base/result.h"
#include "ingest/trace_format.h"

namespace aaco {

bool is_nvidia_smi(std::string_view head);

// Devices are numbered in the order of the file, as nvidia-smi does. What stands before a cut is read. Errors: kUsage
// where it is no such XML.
Result<void> read_nvidia_smi(const TraceInput& input, EventTable& into);

}  // namespace aaco
