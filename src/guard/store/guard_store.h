// SPDX-License-Identifier: MIT
// The guard's history of recordings, in a folder that any number of processes and machines may share:
//
//   STORE/journal/          recordings that are not in Parquet yet, a file each (store/journal.h)
//   STORE/values/...        Parquet, partitioned (store/partition.h): what series are made of
//   STORE/records/...       Parquet, likewise: a row for each recording, with all that a comparison needs
//
// What holds after kill -9 at any moment: each recording that append() returned for is there once, whole. After a loss
// of power: what compact() returned for is on the disk, as Parquet or, where another process was compacting, as a file
// of the journal; a recording that was only appended may be lost, and is then left out and named, never read in part.
// compact() runs at the end of `aaco guard record`, so that what it reported is on the disk.
//
// Compaction moves journal files into a folder, writes one Parquet file for each partition under a name that belongs to
// that folder, and removes it; one that was interrupted is done again with the same names, so that no row comes twice.
// Where a month has many files they are merged in a new folder, which takes the old one's place at once. A month with a
// damaged file, or with a column that this version does not know, stays as it is, as do files that cannot be read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "guard/store/guard_rows.h"

namespace aaco {

// With so many files a month's folder is merged into one.
inline constexpr size_t kMostPartFiles = 8;

class GuardStore {
 public:
  // Makes the folder, for recordings. Errors: kUsage or kResource where it cannot be made or not written to.
  static Result<GuardStore> open(const std::filesystem::path& folder);
  // Makes nothing: a name that was mistyped must not become a history. Without one there it reads as empty.
  static GuardStore for_reading(const std::filesystem::path& folder) { return GuardStore(folder); }
  // Errors: kUsage where the folder holds no history, or this user may not look into it.
  Result<void> expect_history() const;

  // Waits for nobody and for no disk (bench/guard_append measures it). Errors: kUsage, kResource.
  Result<void> append(const GuardEntry& entry) const;
  // Waits for no other process: where one compacts already, that one does it, or the next, and the journal is synced.
  // Errors: as write_parquet; of syncing.
  Result<void> compact() const;

  // A line for each recording of the journal that was damaged and set aside: which file, and what to do.
  std::vector<std::string> set_aside() const;

  // Of the places that match (an empty member matches all), by recorded_ns, then record_id. Files that are damaged, of
  // the journal or Parquet, are left out, and so are files and folders that cannot be read; `damaged` gets a line for
  // each: which file, and what to do. Values whose recording has no readable record are left out too. Errors:
  // kUnavailable without DuckDB, where there is Parquet.
  Result<std::vector<GuardRecord>> records(const SeriesPlace& filter, std::vector<std::string>& damaged) const;
  Result<std::vector<GuardValue>> values(const SeriesPlace& filter, std::vector<std::string>& damaged) const;
  // Of the subject that the user names, by its name or by its slug as aaco prints it; "": of all. Otherwise as values.
  Result<std::vector<GuardValue>> values_of(const std::string& subject, std::vector<std::string>& damaged) const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  explicit GuardStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;
};

}  // namespace aaco
