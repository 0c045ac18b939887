// SPDX-License-Identifier: MIT
#include "record/journal/event_counts.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace aaco {

namespace {

constexpr uint64_t kSealBytes = 8;
constexpr const char* kBytesKey = "bytes";  // of copies (record/device/activity_rows.h)

uint32_t low(uint64_t word) { return static_cast<uint32_t>(word); }
uint32_t high(uint64_t word) { return static_cast<uint32_t>(word >> 32); }
uint8_t byte(uint64_t word, int index) { return static_cast<uint8_t>(word >> (8 * index)); }

}  // namespace

Result<EventJournalCounter> EventJournalCounter::open(const std::filesystem::path& path) {
  AACO_ASSIGN(EventJournalReader reader, EventJournalReader::open(path));
  return EventJournalCounter(std::move(reader.journal_));
}

Result<void> EventJournalCounter::look(uint64_t most_records) {
  for (uint64_t done = 0; done < most_records;) {
    rows_.clear();
    AACO_ASSIGN(const size_t count, journal_.read(rows_));
    if (count == 0) {
      return {};
    }
    for (size_t i = 0; i < count; ++i) {
      Record record;
      std::memcpy(record.data(), rows_.data() + i * sizeof(Record), sizeof(Record));
      take(record);
    }
    counts_.journal_bytes += count * (sizeof(Record) + kSealBytes);
    done += count;
  }
  return {};
}

void EventJournalCounter::take(const Record& record) {
  const uint8_t kind = byte(record[0], 0);
  if (kind == EventJournalWriter::kText) {
    take_text(record);
  } else if (kind == EventJournalWriter::kArguments) {
    const std::array<uint32_t, 3> keys{low(record[1]), high(record[1]), low(record[2])};
    for (size_t i = 0; i < std::min<size_t>(byte(record[0], 1), keys.size()); ++i) {
      const bool is_bytes = bytes_key_ != 0 && keys[i] == bytes_key_;
      argument_bytes_ += is_bytes ? record[3 + i] : 0;
    }
  } else if (kind == EventJournalWriter::kEvent) {
    const auto event = static_cast<EventKind>(byte(record[0], 1));
    ++counts_.events;
    counts_.kernels += event == EventKind::kKernel ? 1 : 0;
    counts_.copies += event == EventKind::kCopy ? 1 : 0;
    counts_.copied_bytes += event == EventKind::kCopy ? argument_bytes_ : 0;
    argument_bytes_ = 0;
  }
}

void EventJournalCounter::take_text(const Record& record) {
  text_.append(reinterpret_cast<const char*>(&record[1]),
               std::min<uint64_t>(record[0] >> 16, EventJournalWriter::kTextBytes));
  if ((record[0] & EventJournalWriter::kMoreText) == 0) {
    bytes_key_ = text_ == kBytesKey ? texts_ : bytes_key_;
    ++texts_;
    text_.clear();
  }
}

}  // namespace aaco
