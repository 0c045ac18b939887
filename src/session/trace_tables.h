// SPDX-License-Identifier: MIT
// An imported trace in a session bundle: the tables of trace/trace_rows.h in the folder trace/.
#pragma once

#include <filesystem>
#include <optional>

#include "base/memory/machine_memory.h"
#include "base/result.h"
#include "record/events/event_table.h"
#include "session/session.h"

namespace aaco {

// Whether an interrupt ends the writing, or what was recorded until then is kept.
enum class OnInterrupt : uint8_t { kKeep, kEnd };

// Into trace/ of any folder, which is made; each file is atomic. Errors: kResource; kInterrupted where that ends it.
Result<void> write_trace_tables(const std::filesystem::path& folder, const EventTable& events,
                                OnInterrupt on_interrupt = OnInterrupt::kKeep);

// Of an import, which an interrupt ends.
Result<void> write_trace(SessionWriter& session, const EventTable& events);

// What read_trace_tables() has to hold, from the files' footers. Errors: as its.
struct TraceSize {
  uint64_t events = 0;
  uint64_t arguments = 0;

  uint64_t bytes() const;  // of the table, its texts apart
};
Result<TraceSize> trace_size(const std::filesystem::path& folder);

// What was written, of a session or any such folder. Errors: kUsage where a file is missing, damaged, or does not fit
// the others; kUnavailable where the machine has not the memory for it, naming how much that is: what the spill plan
// lets lie in memory.
Result<EventTable> read_trace_tables(const std::filesystem::path& folder,
                                     std::optional<int64_t> available_bytes = available_memory_bytes());

// Of a session whose recording broke off, for a reason: likewise, and that, with the tables that were not written any
// more, is a loss (truncated). Errors: kPartial with the reason where not even the events were written.
Result<EventTable> read_left_trace_tables(const std::filesystem::path& folder, const std::string& reason,
                                          std::optional<int64_t> available_bytes = available_memory_bytes());

}  // namespace aaco
