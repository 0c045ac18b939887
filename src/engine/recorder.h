// SPDX-License-Identifier: MIT
// Records iterations into the process's journal: two clock reads and one stored row each.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "record/journal/journal.h"
#include "record/journal/journal_rows.h"

namespace aaco {

class Recorder {
 public:
  // Makes the process's journal in `folder`, the clock mapping beside it. Errors: as JournalWriter::create;
  // kUnavailable where the time stamp counter is not invariant.
  static Result<Recorder> create(const std::filesystem::path& folder, int64_t process);

  // One iteration; false when the disk is full.
  bool add(Ticks start, Ticks end, JournalPhase phase, int32_t token_idx = -1) {
    return journal_.append(IterationJournalRow{static_cast<uint64_t>(start), static_cast<uint64_t>(end),
                                               static_cast<int32_t>(phase), token_idx});
  }
  const Error& error() const { return journal_.error(); }

  double duration_ns(Ticks start, Ticks end) const {
    return static_cast<double>(static_cast<uint64_t>(end) - static_cast<uint64_t>(start)) * clock_->ns_per_tick();
  }
  int64_t to_ns(Ticks ticks) const { return clock_->to_ns(ticks); }

  // Takes the clock's closing anchor and closes the journal.
  Result<void> close();

 private:
  Recorder(JournalWriter journal, std::filesystem::path path)
      : journal_(std::move(journal)), path_(std::move(path)), clock_(std::make_unique<TickClock>()) {}

  JournalWriter journal_;
  std::filesystem::path path_;
  std::unique_ptr<TickClock> clock_;
};

}  // namespace aaco
