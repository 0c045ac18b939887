// SPDX-License-Identifier: MIT
// An event table on disk, appended to while a program runs: what a kill at any moment leaves is a table that opens,
// with every event that was stored. Recordings, tracks, texts and losses lie in it as they came up, each before the
// first event that needs it. Memory of the writer is that of its texts; a reader may follow while it is written.
//
// The file is a journal (journal.h) of records of 48 bytes, six words, the lowest byte of the first being the record's
// kind. Numbers of texts count from 0, the empty text, in the order in which they were stored.
//   text       bytes of it in this record, whether it goes on in the next; 40 bytes
//   recording  name, format (texts)
//   track      recording; process, thread, process name, thread name (texts); rank; device; stream
//   metadata   recording; key, value (texts)
//   loss       how many; name, example (texts); device time where known
//   arguments  1 to 3 of the event that follows, in their order: types, keys (texts), bits
//   event      kind, shape, track; start; duration; correlation; external id; name, category (texts)
// Kinds, shapes and types are the numbers of their enumerations, to which new ones are only appended.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/events/event_table.h"
#include "record/events/string_table.h"
#include "record/journal/journal.h"

namespace aaco {

// One writer, one thread. A full disk is remembered: every later call does nothing, and close() tells.
class EventJournalWriter {
 public:
  // Errors: as JournalWriter::create.
  static Result<EventJournalWriter> create(const std::filesystem::path& path);

  // Numbers of this journal, for the calls below. A text that is there already takes one look-up: keep the number.
  StringId intern(std::string_view text);
  uint32_t add_recording(const TraceRecording& recording);
  uint32_t add_track(const Track& track);
  void add_metadata(const TraceMetadata& metadata);
  void add_loss(const LossTable::Entry& loss);

  // Some nanoseconds. False when the disk is full.
  bool add(const TraceEvent& event, std::span<const Argument> event_arguments = {}) {
    if (!event_arguments.empty() && !add_arguments(event_arguments)) [[unlikely]] {
      return false;
    }
    return journal_.append(Record{kEvent | uint64_t{static_cast<uint8_t>(event.kind)} << 8 |
                                      uint64_t{static_cast<uint8_t>(event.shape)} << 16 | uint64_t{event.track} << 32,
                                  static_cast<uint64_t>(event.start_ns), static_cast<uint64_t>(event.duration_ns),
                                  static_cast<uint64_t>(event.correlation), static_cast<uint64_t>(event.external_id),
                                  pair_of(event.name, event.category)});
  }
  // All of a table, behind what is there.
  void add_all(const EventTable& events);

  Result<void> close() { return journal_.close(); }

 private:
  friend class EventRecords;
  friend class EventJournalReader;
  friend class EventJournalCounter;
  using Record = std::array<uint64_t, 6>;
  enum Kind : uint8_t { kText = 1, kRecording, kTrack, kMetadata, kLoss, kArguments, kEvent };
  static constexpr size_t kTextBytes = sizeof(Record) - 8;
  static constexpr size_t kArgumentsEach = 3;
  static constexpr uint64_t kMoreText = uint64_t{1} << 8;

  explicit EventJournalWriter(JournalWriter journal) : journal_(std::move(journal)) {}
  static uint64_t pair_of(uint32_t low, uint32_t high) { return low | uint64_t{high} << 32; }
  bool add_arguments(std::span<const Argument> event_arguments);

  JournalWriter journal_;
  StringTable texts_;
  uint32_t recordings_ = 0;
  uint32_t tracks_ = 0;
};

// The records of a journal as they come: for those who follow it.
class EventRecords {
 public:
  using Record = EventJournalWriter::Record;

  // Errors: kUsage when it is no such journal or its header is damaged.
  static Result<EventRecords> open(const std::filesystem::path& path);
  // Some that were stored since the last call; none where there are no more by now. They hold until the next call.
  Result<std::span<const Record>> next();
  Result<bool> torn() { return journal_.torn(); }

 private:
  explicit EventRecords(JournalReader journal) : journal_(std::move(journal)) {}

  JournalReader journal_;
  std::vector<char> rows_;
  std::vector<Record> records_;
};

// Follows a journal: each call gives what was stored since the last one.
class EventJournalReader {
 public:
  // Errors: as EventRecords::open.
  static Result<EventJournalReader> open(const std::filesystem::path& path);

  // Appends to `events`, which must be the same table in each call. Errors: kUsage for records that no writer writes:
  // the table then holds what was before them.
  Result<void> read(EventTable& events);
  // Bytes that are no record follow what was read: the writer was killed within one, or the file is damaged.
  Result<bool> torn() { return records_.torn(); }

 private:
  using Record = EventJournalWriter::Record;

  EventJournalReader(EventRecords records, std::filesystem::path path)
      : records_(std::move(records)), path_(std::move(path)) {}
  bool take(const Record& record, EventTable& events);
  bool take_text(const Record& record, EventTable& events);
  bool take_recording(const Record& record, EventTable& events);
  bool take_track(const Record& record, EventTable& events);
  bool take_metadata(const Record& record, EventTable& events);
  bool take_loss(const Record& record, EventTable& events);
  bool take_arguments(const Record& record);
  bool take_event(const Record& record, EventTable& events);
  bool has_text(uint64_t number) const { return number < texts_.size(); }

  EventRecords records_;
  std::filesystem::path path_;
  std::string text_;                  // so far
  std::vector<StringId> texts_;       // what each is in the table
  std::vector<uint32_t> recordings_;  // likewise
  std::vector<uint32_t> tracks_;      // likewise
  std::vector<Argument> arguments_;   // of the next event
};

// All of a table, as a journal. Errors: as JournalWriter.
Result<void> write_event_journal(const std::filesystem::path& path, const EventTable& events);
// The whole journal. `torn` as EventJournalReader::torn(). Errors: as the reader's.
Result<EventTable> read_event_journal(const std::filesystem::path& path, bool* torn = nullptr);

}  // namespace aaco
