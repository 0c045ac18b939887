// SPDX-License-Identifier: MIT
// What rocm-smi --csv ("device,GPU use (%)", rows of "card0") and amd-smi --csv ("gpu,gfx_activity", with a "timestamp"
// before it where it watches) print: the readings that --json gives (amd_smi.h), under the names of the columns. A unit
// is only where a name or a value says one, as in "(W)". amd-smi's timestamps are whole seconds since 1970; without
// them readings are untimed.
//
// Several tables may follow each other, each with its header. Lines of a log before the first one, and lines of a
// single cell anywhere, become metadata. Empty cells and "N/A", with which both tools fill up what a device has not,
// are no readings. A row that lacks cells, has too many or names no device is a malformed event.
#pragma once

#include <string_view>

#include "base/result.h"
#include "ingest/trace_format.h"

namespace aaco {

// Whether the head of a file holds a header and a row of such a table: of rocm-smi by the row's device, of amd-smi by a
// column that only it has as well.
bool is_smi_csv(std::string_view head);

// Errors: kUsage where there is no header, or as CsvReader.
Result<void> read_smi_csv(const TraceInput& input, EventTable& into);

}  // namespace aaco
