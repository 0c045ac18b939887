// SPDX-License-Identifier: MIT
// The journals of iterations, and how their records become rows of the bundle. A record is what the measuring loop can
// store in a few nanoseconds, raw ticks, and so is no row yet (others are: row_journal.h). Iterations of process k are
// in journal/iterations_p<k>.jrn, with the clock that converts them beside it (iterations_p<k>.clock.json): the
// recorder writes that file when it starts, and again with a longer baseline when it ends.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "record/journal/journal.h"
#include "record/rows.h"

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
// The same read again. Errors: kUsage for a file that is missing, or damaged.
Result<TickClock> read_journal_clock(const std::filesystem::path& journal);

// The rows in session time, iter_idx being the position in the journal; `torn` as in read_journal. Errors: kUsage for a
// damaged journal or clock file, or one that holds something else.
Result<std::vector<IterationRow>> read_iteration_journal(const std::filesystem::path& path, int64_t process,
                                                         bool* torn = nullptr);

struct LastIterations {
  std::vector<IterationRow> rows;  // the newest
  uint64_t older = 0;              // rows before them
};
// At most so many, in the memory of twice as many; may be called while the writer is at work. Errors: as above.
Result<LastIterations> read_last_iterations(const std::filesystem::path& path, size_t most);

}  // namespace aaco
