// SPDX-License-Identifier: MIT
// How much a journal of events holds, without the events: for those who watch it grow.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "base/result.h"
#include "record/journal/event_journal.h"

namespace aaco {

struct EventCounts {
  uint64_t events = 0;
  uint64_t kernels = 0;
  uint64_t copies = 0;
  uint64_t copied_bytes = 0;   // of copies that tell it
  uint64_t journal_bytes = 0;  // with all else that the journal holds
};

class EventJournalCounter {
 public:
  // Errors: as EventRecords::open.
  static Result<EventJournalCounter> open(const std::filesystem::path& path);

  // Reads on, about `most_records` of them. Errors: of reading.
  Result<void> look(uint64_t most_records);
  const EventCounts& counts() const { return counts_; }

 private:
  using Record = EventJournalWriter::Record;

  explicit EventJournalCounter(EventRecords records) : records_(std::move(records)) {}
  void take(const Record& record);
  void take_text(const Record& record);

  EventRecords records_;
  EventCounts counts_;
  std::string text_;             // so far
  uint32_t texts_ = 1;           // the empty one is the first
  uint32_t bytes_key_ = 0;       // the number of "bytes"; 0: not stored yet
  uint64_t argument_bytes_ = 0;  // of the next event
};

}  // namespace aaco
