// SPDX-License-Identifier: MIT
// Perfetto's protobuf traces as rocprofv3 (--output-format pftrace) and rocprof-sys write them: track events, their
// tracks, counters, flows and annotations. A begin belongs to the next end on its track by the same writer, in the
// order of the file, or else to the next by anyone. Packets of other kinds are counted as losses. Format:
// google/perfetto, protos/perfetto/trace.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "ingest/trace_format.h"

namespace aaco {

bool is_perfetto(std::string_view head);

// Errors: kUsage where the file begins with no packet, or has none with a time or a number of its writer.
Result<void> read_perfetto(const TraceInput& input, EventTable& into, size_t window_bytes = size_t{1} << 20);

}  // namespace aaco
