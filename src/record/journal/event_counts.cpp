// SPDX-License-Identifier: MIT
#include "record/journal/event_counts.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "record/journal/record_words.h"

namespace aaco {

namespace {

constexpr uint64_t kSealBytes = 8;
constexpr const char* kBytesKey = "bytes";  // of copies (record/device/activity_rows.h)

}  // namespace

Result<EventJournalCounter> EventJournalCounter::open(const std::filesystem::path& path) {
  AACO_ASSIGN(EventRecords records, EventRecords::open(path));
  return EventJournalCounter(std::move(records));
}

Result<void> EventJournalCounter::look(uint64_t most_records) {
  for (uint64_t done = 0; done < most_records;) {
    AACO_ASSIGN(const std::span<const Record> records, records_.next());
    if (records.empty()) {
      return {};
    }
    for (const Record& record : records) {
      take(record);
    }
    counts_.journal_bytes += records.size() * (sizeof(Record) + kSealBytes);
    done += records.size();
  }
  return {};
}

void EventJournalCounter::take(const Record& record) {
  const uint8_t kind = byte_of(record[0], 0);
  if (kind == EventJournalWriter::kText) {
    take_text(record);
  } else if (kind == EventJournalWriter::kArguments) {
    const std::array<uint32_t, 3> keys{low_half(record[1]), high_half(record[1]), low_half(record[2])};
    for (size_t i = 0; i < std::min<size_t>(byte_of(record[0], 1), keys.size()); ++i) {
      const bool is_bytes = bytes_key_ != 0 && keys[i] == bytes_key_;
      argument_bytes_ += is_bytes ? record[3 + i] : 0;
    }
  } else if (kind == EventJournalWriter::kEvent) {
    const auto event = static_cast<EventKind>(byte_of(record[0], 1));
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
