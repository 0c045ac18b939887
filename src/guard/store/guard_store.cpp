// SPDX-License-Identifier: MIT
#include "guard/store/guard_store.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/files/file.h"
#include "guard/store/compaction.h"
#include "guard/store/journal.h"
#include "guard/store/part_file.h"
#include "guard/store/partition.h"
#include "guard/store/store_lock.h"
#include "session/parquet/parquet.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

template <class Row>
std::vector<Row> rows_of(GuardEntry& entry);
template <>
std::vector<GuardRecord> rows_of(GuardEntry& entry) {
  return {std::move(entry.record)};
}
template <>
std::vector<GuardValue> rows_of(GuardEntry& entry) {
  return std::move(entry.values);
}

// "guard/values/.../part-1.parquet: is damaged: ...; its recordings are left out, move it out of the history".
std::string damaged_file(const fs::path& path, std::string_view message) {
  const std::string name = path.string() + ": ";
  return fmt::format("{}{}; its recordings are left out: move it out of the history, or restore it",
                     message.starts_with(name) ? "" : name, message);
}

template <class Row>
using OtherRow = std::conditional_t<std::is_same_v<Row, GuardRecord>, GuardValue, GuardRecord>;

// Of the table that is not read: a command names what is damaged in either, since each recording has rows in both.
template <class Row>
Result<void> name_damaged(const fs::path& store, const SeriesPlace& filter, std::vector<std::string>& damaged) {
  for (const PartitionFile& file : partition_files(store / RowSchema<Row>::kName, filter)) {
    const Result<void> whole = expect_whole_part(file.path);
    if (!whole && whole.error().kind != ErrorKind::kUsage) {
      return whole.error();
    }
    if (!whole) {
      damaged.push_back(damaged_file(file.path, whole.error().message));
    }
  }
  return {};
}

// Parquet first, then what the journal has beside it: a compaction that was killed leaves both.
template <class Row>
Result<std::vector<Row>> read_rows(const fs::path& store, const SeriesPlace& filter,
                                   std::vector<std::string>& damaged) {
  const StoreLock lock = StoreLock::to_read(store);
  std::vector<Row> rows;
  uint64_t left_bytes = kMaxUnpackedBytes;
  for (const PartitionFile& file : partition_files(store / RowSchema<Row>::kName, filter)) {
    const Result<void> whole = expect_whole_part(file.path);
    Result<std::vector<Row>> some = whole ? read_parquet_rows<Row>(file.path, left_bytes) : whole.error();
    if (!some && some.error().kind != ErrorKind::kUsage) {
      return some.error();
    }
    if (!some) {
      damaged.push_back(damaged_file(file.path, some.error().message));
      continue;
    }
    for (Row& row : *some) {
      row.place = file.place;
      rows.push_back(std::move(row));
    }
  }
  AACO_TRY(name_damaged<OtherRow<Row>>(store, filter, damaged));
  std::set<std::string> known;
  for (const Row& row : rows) {
    known.insert(row.record_id);
  }
  for (const fs::path& path : pending_entries(store)) {
    Result<GuardEntry> entry = read_journal_entry(path);
    if (!entry) {
      damaged.push_back(damaged_file(path, entry.error().message));
      continue;
    }
    if (matches(filter, entry->record.place) && !known.contains(entry->record.record_id)) {
      for (Row& row : rows_of<Row>(*entry)) {
        rows.push_back(std::move(row));
      }
    }
  }
  std::ranges::stable_sort(rows, [](const Row& a, const Row& b) {
    return std::tie(a.recorded_ns, a.record_id) < std::tie(b.recorded_ns, b.record_id);
  });
  return rows;
}

}  // namespace

Result<GuardStore> GuardStore::open(const fs::path& folder) {
  AACO_TRY(make_folders(folder / kJournalFolder));
  return GuardStore(folder);
}

Result<void> GuardStore::append(const GuardEntry& entry) const {
  return append_to_journal(folder_ / kJournalFolder, entry);
}

Result<void> GuardStore::compact() const { return compact_store(folder_); }

Result<std::vector<GuardRecord>> GuardStore::records(const SeriesPlace& filter,
                                                     std::vector<std::string>& damaged) const {
  return read_rows<GuardRecord>(folder_, filter, damaged);
}

Result<std::vector<GuardValue>> GuardStore::values(const SeriesPlace& filter, std::vector<std::string>& damaged) const {
  return read_rows<GuardValue>(folder_, filter, damaged);
}

}  // namespace aaco
