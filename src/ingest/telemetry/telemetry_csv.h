// SPDX-License-Identifier: MIT
// Samples of devices that scripts log while something else runs; each row is a counter's mark on its device's track.
//
// nvidia-smi: `--query-gpu=timestamp,index,... --format=csv`, with units or without; its header may come again before
// each sample, as logs have it that are appended to. Rows without a timestamp are untimed. The clock is the host's wall
// clock in the host's time zone, which the file does not name: taken as if it were UTC. A timestamp that is no date, a
// bare number too, is no time: a loss, and kept as an argument. Without an index no device has a number: each is a
// process of its uuid, its pci.bus_id or its name, the first of which that the table has. What the driver does not tell
// ("[N/A]") is no argument.
//
// rocm-smi: tables that scripts make of its output, of GPU power, temperature and use, and of the host's processors and
// memory. Their clock is whole seconds since 1970. Rows that lack their last columns are kept.
#pragma once

#include <string_view>

#include "base/result.h"
#include "ingest/trace_format.h"

namespace aaco {

bool is_nvidia_smi_csv(std::string_view head);
Result<void> read_nvidia_smi_csv(const TraceInput& input, EventTable& into);

bool is_rocm_smi_csv(std::string_view head);
Result<void> read_rocm_smi_csv(const TraceInput& input, EventTable& into);

}  // namespace aaco
