// SPDX-License-Identifier: MIT
#include "journal_library.h"

#include <exception>
#include <string>

#include "record/device/activity_journal.h"

#define AACO_EXPORT extern "C" __attribute__((visibility("default")))

struct AacoJournal {
  aaco::ActivityJournal sink;
};

namespace {

// What `work` gives; `otherwise` where it throws, which a foreign program must not see.
template <class Value, class Work>
Value guarded(Value otherwise, Work work) noexcept {
  try {
    return work();
  } catch (const std::exception&) {
    return otherwise;
  }
}

}  // namespace

AACO_EXPORT AacoJournal* aaco_journal_open(const char* path, const char* recording) {
  return guarded<AacoJournal*>(nullptr, [&]() -> AacoJournal* {
    auto journal = aaco::EventJournalWriter::create(path);
    return journal ? new AacoJournal{aaco::ActivityJournal(std::move(*journal), recording)} : nullptr;
  });
}

AACO_EXPORT uint32_t aaco_journal_name(AacoJournal* journal, const char* name) {
  return guarded<uint32_t>(0, [&] { return journal->sink.intern(name); });
}

AACO_EXPORT int32_t aaco_journal_kernel(AacoJournal* journal, uint32_t name, uint64_t stream, int64_t start_ns,
                                        int64_t end_ns) {
  return guarded<int32_t>(1, [&] {
    aaco::ActivityRecord record;
    record.name = name;
    record.stream = stream;
    record.start_ns = start_ns;
    record.end_ns = end_ns;
    journal->sink.push({&record, 1});
    return 0;
  });
}

AACO_EXPORT int32_t aaco_journal_close(AacoJournal* journal) {
  const int32_t status = guarded<int32_t>(1, [&] { return journal->sink.close() ? 0 : 1; });
  delete journal;
  return status;
}
