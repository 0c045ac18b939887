// SPDX-License-Identifier: MIT
// What the journals of a run hold, and how their rows become the rows of the bundle. Iterations of process k are in
// journal/iterations_p<k>.jrn as raw ticks, with the clock that converts them beside it (iterations_p<k>.clock.json):
// the recorder writes that file when it starts, and again with a longer baseline when it ends. Telemetry is in
// journal/system.jrn.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "session/journal.h"
#include "trace/rows.h"

namespace aaco {

enum class JournalPhase : int32_t { kWarmup, kMeasure, kProfile, kPrefill, kDecode, kDispatch };

struct IterationJournalRow {
  uint64_t start_ticks;
  uint64_t end_ticks;
  int32_t phase;      // JournalPhase
  int32_t token_idx;  // decode: index of the generated token; -1 elsewhere
};

// "iterations_p3.jrn".
std::string iteration_journal_name(int64_t process);
Result<JournalWriter> create_iteration_journal(const std::filesystem::path& path, int64_t process);
// The clock file of the journal at `path`. Where ticks are nanoseconds already, store the clock of {t, t} and {t+1,
// t+1}.
Result<void> write_journal_clock(const std::filesystem::path& path, const TickClock& clock);

// The rows in session time, iter_idx being the position in the journal; `torn` as in read_journal. Errors: kUsage for a
// damaged journal or clock file, or one that holds something else.
Result<std::vector<IterationRow>> read_iteration_journal(const std::filesystem::path& path, int64_t process,
                                                         bool* torn = nullptr);

// SystemRow with a NaN or INT64_MIN for null.
struct SystemJournalRow {
  int64_t t_ns;
  int64_t interval_ns;
  int64_t pid;
  double cpu_pct;
  double process_cpu_pct;
  int64_t process_rss_bytes;
  int64_t memory_available_bytes;
  double cpu_frequency_mhz;
  int64_t context_switches;
  int64_t process_voluntary_switches;
  int64_t process_involuntary_switches;
  int64_t process_minor_faults;
  int64_t process_major_faults;
  int64_t process_run_delay_ns;
  int64_t process_threads;
  int64_t runnable_tasks;
  double load_1m;
  double psi_cpu_some_pct;
  double psi_memory_some_pct;
  double psi_io_some_pct;
};
SystemJournalRow to_journal_row(const SystemRow& row);
SystemRow from_journal_row(const SystemJournalRow& row);

Result<JournalWriter> create_system_journal(const std::filesystem::path& path);
Result<std::vector<SystemRow>> read_system_journal(const std::filesystem::path& path, bool* torn = nullptr);

}  // namespace aaco
