// SPDX-License-Identifier: MIT
#include "guard/store/compaction.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/clock.h"
#include "base/files/file.h"
#include "guard/store/guard_store.h"
#include "guard/store/journal.h"
#include "guard/store/part_file.h"
#include "guard/store/partition.h"
#include "guard/store/store_lock.h"
#include "session/parquet/parquet.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBatchPrefix = "batch-";
constexpr std::string_view kUnfinishedPrefix = "unfinished-";
constexpr std::string_view kDamagedEnding = ".damaged";
constexpr unsigned kExchange = 2;  // RENAME_EXCHANGE of linux/fs.h

std::vector<fs::path> batches(const fs::path& journal) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(journal, error)) {
    if (entry.path().filename().string().starts_with(kBatchPrefix)) {
      folders.push_back(entry.path());
    }
  }
  std::ranges::sort(folders);
  return folders;
}

void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor >= 0) {
    (void)::fsync(descriptor);  // what it does not do no caller could do better
    ::close(descriptor);
  }
}

// Whole under its name or not there, and nothing else in the folder: readers take each file that they see. Nothing to
// do where an earlier compaction, which was killed, came so far.
template <class Row>
Result<void> write_part(const fs::path& unfinished, const fs::path& folder, std::string_view id,
                        std::span<const Row> rows) {
  if (has_part(folder, id)) {
    return {};
  }
  AACO_TRY(make_folders(folder));
  AACO_TRY(write_parquet_rows<Row>(unfinished, rows));
  AACO_TRY(name_part(unfinished, folder, id));
  sync_folder(folder);
  return {};
}

struct PartitionRows {
  std::vector<GuardRecord> records;
  std::vector<GuardValue> values;
};

// A file that lost power is kept under another name: somebody may want to see what it was.
void set_aside(const fs::path& path, const fs::path& journal) {
  std::error_code ignored;
  fs::rename(path, journal / (path.filename().string() + std::string(kDamagedEnding)), ignored);
}

Result<void> store_batch(const fs::path& store, const fs::path& batch) {
  const fs::path journal = store / kJournalFolder;
  std::map<fs::path, PartitionRows> partitions;
  for (const fs::path& path : journal_entries(batch)) {
    Result<GuardEntry> entry = read_journal_entry(path);
    if (!entry) {
      set_aside(path, journal);
      continue;
    }
    PartitionRows& rows = partitions[partition_folder(entry->record.place, month_of(entry->record.recorded_ns))];
    std::ranges::move(entry->values, std::back_inserter(rows.values));
    rows.records.push_back(std::move(entry->record));
  }
  const std::string id = batch.filename().string().substr(kBatchPrefix.size());
  const fs::path unfinished = journal / fmt::format("{}{}.parquet", kUnfinishedPrefix, id);
  for (const auto& [folder, rows] : partitions) {
    AACO_TRY(write_part<GuardValue>(unfinished, store / RowSchema<GuardValue>::kName / folder, id, rows.values));
    AACO_TRY(write_part<GuardRecord>(unfinished, store / RowSchema<GuardRecord>::kName / folder, id, rows.records));
  }
  std::error_code error;
  fs::remove_all(batch, error);
  return error ? file_error(batch, "remove", error.value()) : Result<void>();
}

Result<void> start_batch(const fs::path& journal) {
  const std::vector<fs::path> entries = journal_entries(journal);
  if (entries.empty()) {
    return {};
  }
  const fs::path batch = journal / (std::string(kBatchPrefix) + next_record_id(wall_clock_ns()));
  AACO_TRY(make_folders(batch));
  for (const fs::path& path : entries) {
    std::error_code error;
    fs::rename(path, batch / path.filename(), error);
    if (error) {
      return file_error(path, "move", error.value());
    }
  }
  return {};
}

void remove_unfinished(const fs::path& journal) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(journal, error)) {
    if (entry.path().filename().string().starts_with(kUnfinishedPrefix)) {
      std::error_code ignored;
      fs::remove_all(entry.path(), ignored);
    }
  }
}

// All files of a month as one, in a folder that takes the month's place at once.
template <class Row>
Result<void> merge_month(const fs::path& journal, const fs::path& month) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(month, error)) {
    files.push_back(entry.path());
  }
  const bool ours = std::ranges::all_of(files, [](const fs::path& file) { return file.extension() == ".parquet"; });
  if (files.size() < kMostPartFiles || !ours) {
    return {};
  }
  std::ranges::sort(files);
  std::vector<Row> rows;
  uint64_t left_bytes = kMaxUnpackedBytes;
  for (const fs::path& file : files) {
    const Result<void> whole = expect_whole_part(file);
    Result<std::vector<Row>> some = whole ? read_parquet_rows<Row>(file, left_bytes) : whole.error();
    if (!some) {
      // Whoever reads the month is told which file is damaged.
      return some.error().kind == ErrorKind::kUsage ? Result<void>() : some.error();
    }
    std::ranges::move(*some, std::back_inserter(rows));
  }
  const std::string id = next_record_id(wall_clock_ns());
  const fs::path merged = journal / fmt::format("{}{}", kUnfinishedPrefix, id);
  AACO_TRY(make_folders(merged));
  const fs::path unnamed = merged / "unnamed.parquet";
  AACO_TRY(write_parquet_rows<Row>(unnamed, std::span<const Row>(rows)));
  AACO_TRY(name_part(unnamed, merged, id));
  sync_folder(merged);
  // Where the file system cannot exchange two folders the month keeps its files: the reader loses nothing but time.
  if (::syscall(SYS_renameat2, AT_FDCWD, merged.c_str(), AT_FDCWD, month.c_str(), kExchange) == 0) {
    sync_folder(month.parent_path());
  }
  fs::remove_all(merged, error);
  return {};
}

template <class Row>
Result<void> merge_months(const fs::path& store) {
  for (const fs::path& month : month_folders(store / RowSchema<Row>::kName, {})) {
    AACO_TRY(merge_month<Row>(store / kJournalFolder, month));
  }
  return {};
}

}  // namespace

std::vector<fs::path> pending_entries(const fs::path& store) {
  const fs::path journal = store / kJournalFolder;
  std::vector<fs::path> entries;
  for (const fs::path& batch : batches(journal)) {
    std::ranges::move(journal_entries(batch), std::back_inserter(entries));
  }
  std::ranges::move(journal_entries(journal), std::back_inserter(entries));
  return entries;
}

Result<void> compact_store(const fs::path& store) {
  const StoreLock lock = StoreLock::to_compact(store);
  if (!lock.held()) {
    return {};
  }
  const fs::path journal = store / kJournalFolder;
  remove_unfinished(journal);
  AACO_TRY(start_batch(journal));
  for (const fs::path& batch : batches(journal)) {
    AACO_TRY(store_batch(store, batch));
  }
  AACO_TRY(merge_months<GuardValue>(store));
  return merge_months<GuardRecord>(store);
}

}  // namespace aaco
