// SPDX-License-Identifier: MIT
#include "record/device/activity_journal.h"

#include <string>
#include <utility>

namespace aaco {

ActivityJournal::ActivityJournal(EventJournalWriter journal, std::string_view recording)
    : journal_(std::move(journal)), rows_(journal_) {
  journal_.add_recording({std::string(recording), "aaco"});
}

void ActivityJournal::push(std::span<const ActivityRecord> batch) {
  const std::lock_guard lock(mutex_);
  for (const ActivityRecord& record : batch) {
    rows_.add(journal_, record);
  }
}

StringId ActivityJournal::intern(std::string_view name) {
  const std::lock_guard lock(mutex_);
  return journal_.intern(name);
}

void ActivityJournal::lose(Loss loss, uint64_t count) {
  const std::lock_guard lock(mutex_);
  if (count > 0) {
    journal_.add_loss({loss, count, ""});
  }
}

Result<void> ActivityJournal::close() {
  const std::lock_guard lock(mutex_);
  return journal_.close();
}

}  // namespace aaco
