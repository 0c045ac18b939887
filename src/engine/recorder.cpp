// SPDX-License-Identifier: MIT
#include "engine/recorder.h"

namespace aaco {

Result<Recorder> Recorder::create(const std::filesystem::path& folder, int64_t process) {
  if (!TickClock::available()) {
    return Error{ErrorKind::kUnavailable, "this processor's time stamp counter is not invariant",
                 "run where CPUID reports an invariant TSC (constant_tsc and nonstop_tsc in /proc/cpuinfo)"};
  }
  const std::filesystem::path path = folder / iteration_journal_name(process);
  AACO_ASSIGN(JournalWriter journal, create_iteration_journal(path, process));
  Recorder recorder(std::move(journal), path);
  AACO_TRY(write_journal_clock(path, *recorder.clock_));
  return recorder;
}

Result<void> Recorder::close() {
  clock_->anchor();
  AACO_TRY(write_journal_clock(path_, *clock_));
  return journal_.close();
}

}  // namespace aaco
