// SPDX-License-Identifier: MIT
// What a collector hands over, as a journal of events: of a program that may be killed, and that others follow
// (journal/event_journal.h). Memory is that of its texts.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>

#include "base/result.h"
#include "record/device/activity_rows.h"
#include "record/device/activity_sink.h"
#include "record/journal/event_journal.h"

namespace aaco {

class ActivityJournal : public ActivitySink {
 public:
  // `recording`: its name. What is full later tells close().
  ActivityJournal(EventJournalWriter journal, std::string_view recording);

  void push(std::span<const ActivityRecord> batch) override;  // a lock a batch
  StringId intern(std::string_view name) override;
  void dropped(uint64_t count) override { lose(Loss::kDropped, count); }
  void lose(Loss loss, uint64_t count);

  // Errors: as JournalWriter's.
  Result<void> close();

 private:
  std::mutex mutex_;
  EventJournalWriter journal_;
  ActivityRows<EventJournalWriter> rows_;
};

}  // namespace aaco
