// SPDX-License-Identifier: MIT
#include "guard/store/guard_store.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <variant>

#include "base/files/file.h"
#include "base/text/characters.h"
#include "guard/store/compaction.h"
#include "guard/store/journal.h"
#include "guard/store/part_file.h"
#include "guard/store/partition.h"
#include "guard/store/slug.h"
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

// Files and folders that are not damaged, as another user's.
void name_unreadable(const std::vector<Error>& unreadable, std::vector<std::string>& damaged) {
  for (const Error& error : unreadable) {
    damaged.push_back(fmt::format("{}; its recordings are left out: {}", error.message, error.hint));
  }
}

std::vector<std::string> set_aside_lines(const fs::path& store) {
  std::vector<std::string> lines;
  for (const fs::path& path : set_aside_entries(store)) {
    lines.push_back(damaged_file(path, "is a damaged recording that was set aside"));
  }
  return lines;
}

// `read` takes each Parquet file of a table. One that is damaged is named; any other error ends the reading.
template <class Row, class Read>
Result<void> read_parts(const fs::path& store, const SeriesPlace& filter, std::vector<std::string>& damaged,
                        const Read& read) {
  std::vector<Error> unreadable;
  for (const PartitionFile& file : partition_files(store / RowSchema<Row>::kName, filter, unreadable)) {
    const Result<void> whole = expect_whole_part(file.path);
    const Result<void> done = whole ? read(file) : whole;
    if (!done && done.error().kind != ErrorKind::kUsage) {
      return done.error();
    }
    if (!done) {
      damaged.push_back(damaged_file(file.path, done.error().message));
    }
  }
  name_unreadable(unreadable, damaged);
  return {};
}

// Values count where the record of their recording can be read: what is no baseline for a check is no recording.
Result<void> leave_out_without_record(const fs::path& store, const SeriesPlace& filter, std::vector<GuardValue>& values,
                                      std::vector<std::string>& damaged) {
  std::set<std::string> recorded;
  AACO_TRY(read_parts<GuardRecord>(store, filter, damaged, [&](const PartitionFile& file) -> Result<void> {
    std::vector<std::string> ids;
    AACO_TRY(read_parquet_pieces(file.path, RowSchema<GuardRecord>::kName, [&](const Table& piece) -> Result<void> {
      const TableColumn* const column = piece.find("record_id");
      const auto* texts = column == nullptr ? nullptr : std::get_if<std::vector<std::string>>(&column->values);
      if (texts == nullptr) {
        return Error{ErrorKind::kUsage, "is damaged: it has no record_id", "restore it"};
      }
      ids.insert(ids.end(), texts->begin(), texts->end());
      return {};
    }));
    recorded.insert(ids.begin(), ids.end());
    return {};
  }));
  std::erase_if(values, [&](const GuardValue& value) { return !recorded.contains(value.record_id); });
  return {};
}

// A check compares records alone, and names what is damaged of the values besides.
Result<void> leave_out_without_record(const fs::path& store, const SeriesPlace& filter,
                                      std::vector<GuardRecord>& /*records*/, std::vector<std::string>& damaged) {
  return read_parts<GuardValue>(store, filter, damaged, [](const PartitionFile&) { return Result<void>(); });
}

// What the journal has beside the rows of Parquet: a compaction that was killed leaves both.
template <class Row>
void add_pending(const fs::path& store, const SeriesPlace& filter, std::vector<Row>& rows,
                 std::vector<std::string>& damaged) {
  std::set<std::string> known;
  for (const Row& row : rows) {
    known.insert(row.record_id);
  }
  std::vector<Error> unreadable;
  for (const fs::path& path : pending_entries(store, unreadable)) {
    const Result<std::string> content = read_file(path);
    if (!content) {
      unreadable.push_back(content.error());
      continue;
    }
    Result<GuardEntry> entry = parse_journal_entry(*content, path);
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
  name_unreadable(unreadable, damaged);
}

// Parquet first: the journal may still have the same recordings.
template <class Row>
Result<std::vector<Row>> read_rows(const fs::path& store, const SeriesPlace& filter,
                                   std::vector<std::string>& damaged) {
  const StoreLock lock = StoreLock::to_read(store);
  std::vector<Row> rows;
  uint64_t left_bytes = kMaxUnpackedBytes;
  AACO_TRY(read_parts<Row>(store, filter, damaged, [&](const PartitionFile& file) -> Result<void> {
    AACO_ASSIGN(std::vector<Row> some, read_parquet_rows<Row>(file.path, left_bytes));
    for (Row& row : some) {
      row.place = file.place;
      rows.push_back(std::move(row));
    }
    return {};
  }));
  AACO_TRY(leave_out_without_record(store, filter, rows, damaged));
  add_pending(store, filter, rows, damaged);
  std::ranges::copy(set_aside_lines(store), std::back_inserter(damaged));
  std::ranges::stable_sort(rows, [](const Row& a, const Row& b) {
    return std::tie(a.recorded_ns, a.record_id) < std::tie(b.recorded_ns, b.record_id);
  });
  return rows;
}

}  // namespace

Result<GuardStore> GuardStore::open(const fs::path& folder) {
  const fs::path journal = folder / kJournalFolder;
  AACO_TRY(make_folders(journal));
  if (::access(journal.c_str(), R_OK | W_OK | X_OK) != 0) {
    return file_error(journal, "write", errno);
  }
  return GuardStore(folder);
}

Result<void> GuardStore::expect_history() const {
  for (const char* inner : {kJournalFolder, RowSchema<GuardRecord>::kName, RowSchema<GuardValue>::kName}) {
    std::error_code error;
    if (fs::is_directory(folder_ / inner, error)) {
      return {};
    }
    if (error == std::errc::permission_denied) {
      return file_error(folder_ / inner, "read", error.value());
    }
  }
  return Error{ErrorKind::kUsage, fmt::format("{}: there is no history of the guard", printable(folder_.string())),
               "aaco guard record starts one; --history DIR names another"};
}

Result<void> GuardStore::append(const GuardEntry& entry) const {
  return append_to_journal(folder_ / kJournalFolder, entry);
}

Result<void> GuardStore::compact() const { return compact_store(folder_); }

std::vector<std::string> GuardStore::set_aside() const { return set_aside_lines(folder_); }

Result<std::vector<GuardRecord>> GuardStore::records(const SeriesPlace& filter,
                                                     std::vector<std::string>& damaged) const {
  return read_rows<GuardRecord>(folder_, filter, damaged);
}

Result<std::vector<GuardValue>> GuardStore::values(const SeriesPlace& filter, std::vector<std::string>& damaged) const {
  return read_rows<GuardValue>(folder_, filter, damaged);
}

Result<std::vector<GuardValue>> GuardStore::values_of(const std::string& subject,
                                                      std::vector<std::string>& damaged) const {
  if (subject.empty()) {
    return values({}, damaged);
  }
  const std::string slug = subject_slug(subject);
  AACO_ASSIGN(std::vector<GuardValue> named, values({slug, "", ""}, damaged));
  const bool may_be_slug = slug != subject && slug_of(subject) == subject;
  if (!named.empty() || !may_be_slug) {
    return named;
  }
  std::vector<std::string> damaged_again;  // files of the journal are of all subjects
  AACO_ASSIGN(std::vector<GuardValue> printed, values({subject, "", ""}, damaged_again));
  for (std::string& line : damaged_again) {
    if (std::ranges::find(damaged, line) == damaged.end()) {
      damaged.push_back(std::move(line));
    }
  }
  return printed;
}

}  // namespace aaco
