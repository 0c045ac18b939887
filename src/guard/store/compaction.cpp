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
#include "guard/store/folder_entries.h"
#include "guard/store/guard_store.h"
#include "guard/store/journal.h"
#include "guard/store/part_file.h"
#include "guard/store/partition.h"
#include "guard/store/store_lock.h"
#include "record/table.h"
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

// Until the disk has it. False where it is not there: another process has moved it, or stored it as Parquet. What is no
// file (a link, a pipe) is no recording, and nothing of it has to be synced.
Result<bool> sync_entry(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0 && (errno == ENOENT || errno == EACCES || errno == ELOOP)) {
    return errno != ENOENT;  // of another user, who syncs it
  }
  if (descriptor < 0) {
    return file_error(path, "read", errno);
  }
  const int failed = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  return failed == 0 || failed == EINVAL ? Result<bool>(true) : file_error(path, "write", failed);
}

// What waits for the compaction of another process. That one moves entries from the journal to a batch meanwhile: the
// journal is listed first, so that an entry is seen in one of the two, and again where one was moved in between.
Result<void> sync_pending(const fs::path& journal) {
  for (bool moved = true; moved;) {
    moved = false;
    std::vector<fs::path> folders{journal};
    AACO_ASSIGN(std::vector<fs::path> entries, journal_entries(journal));
    for (const fs::path& batch : batches(journal)) {
      folders.push_back(batch);
      Result<std::vector<fs::path>> of_batch = journal_entries(batch);
      if (of_batch) {  // else of another user, who syncs it
        std::ranges::move(*of_batch, std::back_inserter(entries));
      }
    }
    for (const fs::path& entry : entries) {
      AACO_ASSIGN(const bool there, sync_entry(entry));
      moved = moved || !there;
    }
    std::ranges::for_each(folders, sync_folder);
  }
  return {};
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

using Partitions = std::map<fs::path, PartitionRows>;

// A file that lost power is kept under another name: somebody may want to see what it was.
Result<void> set_aside(const fs::path& path, const fs::path& journal) {
  std::error_code error;
  fs::rename(path, journal / (path.filename().string() + std::string(kDamagedEnding)), error);
  return error ? file_error(path, "move", error.value()) : Result<void>();
}

// Damaged entries are set aside. Errors: of an entry that cannot be read, which is no damage.
Result<Partitions> read_batch(const fs::path& journal, const fs::path& batch) {
  AACO_ASSIGN(const std::vector<fs::path> paths, journal_entries(batch));
  Partitions partitions;
  for (const fs::path& path : paths) {
    AACO_ASSIGN(const std::string content, read_file(path));
    Result<GuardEntry> entry = parse_journal_entry(content, path);
    if (!entry) {
      AACO_TRY(set_aside(path, journal));
      continue;
    }
    PartitionRows& rows = partitions[partition_folder(entry->record.place, month_of(entry->record.recorded_ns))];
    std::ranges::move(entry->values, std::back_inserter(rows.values));
    rows.records.push_back(std::move(entry->record));
  }
  return partitions;
}

// False where the batch stays, all of it: readers see its entries there, and whoever can read them all stores them.
Result<bool> store_batch(const fs::path& store, const fs::path& batch) {
  const fs::path journal = store / kJournalFolder;
  const Result<Partitions> partitions = read_batch(journal, batch);
  if (!partitions) {
    return false;
  }
  const std::string id = batch.filename().string().substr(kBatchPrefix.size());
  const fs::path unfinished = journal / fmt::format("{}{}.parquet", kUnfinishedPrefix, id);
  for (const auto& [folder, rows] : *partitions) {
    AACO_TRY(write_part<GuardValue>(unfinished, store / RowSchema<GuardValue>::kName / folder, id, rows.values));
    AACO_TRY(write_part<GuardRecord>(unfinished, store / RowSchema<GuardRecord>::kName / folder, id, rows.records));
  }
  std::error_code error;
  fs::remove_all(batch, error);
  return error ? file_error(batch, "remove", error.value()) : Result<bool>(true);
}

// False where an entry stays in the journal, because this process cannot read it: the batch is removed once it is
// stored.
Result<bool> start_batch(const fs::path& journal) {
  AACO_ASSIGN(const std::vector<fs::path> entries, journal_entries(journal));
  std::vector<fs::path> readable;
  std::ranges::copy_if(entries, std::back_inserter(readable),
                       [](const fs::path& path) { return read_file(path).has_value(); });
  const bool are_all = readable.size() == entries.size();
  if (readable.empty()) {
    return are_all;
  }
  const fs::path batch = journal / (std::string(kBatchPrefix) + next_record_id(wall_clock_ns()));
  AACO_TRY(make_folders(batch));
  for (const fs::path& path : readable) {
    std::error_code error;
    fs::rename(path, batch / path.filename(), error);
    if (error) {
      return file_error(path, "move", error.value());
    }
  }
  return are_all;
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

// A later version may write columns that this one does not read, and would not write again. Errors: kUsage for such a
// file; as read_parquet.
template <class Row>
Result<void> expect_known_columns(const fs::path& file) {
  const std::vector<ColumnInfo> known = column_infos<Row>();
  return read_parquet_pieces(file, RowSchema<Row>::kName, [&](const Table& piece) -> Result<void> {
    for (const TableColumn& column : piece.columns) {
      if (std::ranges::find(known, column.info.name, &ColumnInfo::name) == known.end()) {
        return Error{ErrorKind::kUsage,
                     fmt::format("{}: this version does not know the column {}", file.string(), column.info.name),
                     "a later version of aaco merges it"};
      }
    }
    return {};
  });
}

// Errors: kUsage for a file that must not be merged: it is damaged, or has columns that this version does not know.
template <class Row>
Result<std::vector<Row>> rows_to_merge(const fs::path& file, uint64_t& left_bytes) {
  AACO_TRY(expect_whole_part(file));
  AACO_TRY(expect_known_columns<Row>(file));
  return read_parquet_rows<Row>(file, left_bytes);
}

// All files of a month as one, in a folder that takes the month's place at once.
template <class Row>
Result<void> merge_month(const fs::path& journal, const fs::path& month) {
  const Result<std::vector<fs::directory_entry>> entries = folder_entries(month);
  if (!entries) {
    return {};  // of another user; of what was listed in part the rest would be lost
  }
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : *entries) {
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
    Result<std::vector<Row>> some = rows_to_merge<Row>(file, left_bytes);
    if (!some) {
      // The month stays as it is. Whoever reads it is told which file is damaged.
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
  std::error_code ignored;
  fs::remove_all(merged, ignored);
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

std::vector<fs::path> pending_entries(const fs::path& store, std::vector<Error>& unreadable) {
  const fs::path journal = store / kJournalFolder;
  std::vector<fs::path> folders = batches(journal);
  folders.push_back(journal);
  std::vector<fs::path> entries;
  for (const fs::path& folder : folders) {
    Result<std::vector<fs::path>> of_folder = journal_entries(folder);
    if (of_folder) {
      std::ranges::move(*of_folder, std::back_inserter(entries));
    } else {
      unreadable.push_back(of_folder.error());
    }
  }
  return entries;
}

std::vector<fs::path> set_aside_entries(const fs::path& store) {
  std::vector<fs::path> paths;
  const Result<std::vector<fs::directory_entry>> entries = folder_entries(store / kJournalFolder);
  if (!entries) {
    return paths;  // pending_entries says that it cannot be read
  }
  for (const fs::directory_entry& entry : *entries) {
    if (entry.path().filename().string().ends_with(kDamagedEnding)) {
      paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

Result<void> compact_store(const fs::path& store) {
  const StoreLock lock = StoreLock::to_compact(store);
  const fs::path journal = store / kJournalFolder;
  if (!lock.held()) {
    return sync_pending(journal);
  }
  remove_unfinished(journal);
  AACO_ASSIGN(bool are_all, start_batch(journal));
  for (const fs::path& batch : batches(journal)) {
    AACO_ASSIGN(const bool is_stored, store_batch(store, batch));
    are_all = are_all && is_stored;
  }
  AACO_TRY(merge_months<GuardValue>(store));
  AACO_TRY(merge_months<GuardRecord>(store));
  return are_all ? Result<void>() : sync_pending(journal);
}

}  // namespace aaco
