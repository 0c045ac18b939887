// SPDX-License-Identifier: MIT
// The guard's history of recordings, in a folder that any number of processes and machines may share:
//
//   STORE/journal/          recordings that are not in Parquet yet, a file each (store/journal.h)
//   STORE/values/...        Parquet, partitioned (store/partition.h): what series are made of
//   STORE/records/...       Parquet, likewise: a row for each recording, with all that a comparison needs
//
// What holds after kill -9 at any moment: each recording that append() returned for is there once, whole. After a loss
// of power: what compact() returned for is on the disk; a recording that is only in the journal may be lost, and is
// then left out and named, never read in part. compact() runs at the end of `aaco guard record`, so that what it
// reported is on the disk.
//
// Compaction moves journal files into a folder, writes one Parquet file for each partition under a name that belongs to
// that folder, and removes it; one that was interrupted is done again with the same names, so that no row comes twice.
// Where a month has many files they are merged in a new folder, which takes the old one's place at once. A month with a
// damaged file stays as it is.
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
  // Makes the folder. Errors: kUsage or kResource where it cannot be made.
  static Result<GuardStore> open(const std::filesystem::path& folder);

  // Waits for nobody and for no disk (bench/guard_append measures it). Errors: kUsage, kResource.
  Result<void> append(const GuardEntry& entry) const;
  // Waits for no other process: where one compacts already, that one does it, or the next. Errors: as write_parquet.
  Result<void> compact() const;

  // Of the places that match (an empty member matches all), by recorded_ns, then record_id. Files that are damaged, of
  // the journal or Parquet, are left out; `damaged` gets a line for each: which file, and what to do. Errors:
  // kUnavailable without DuckDB, where there is Parquet.
  Result<std::vector<GuardRecord>> records(const SeriesPlace& filter, std::vector<std::string>& damaged) const;
  Result<std::vector<GuardValue>> values(const SeriesPlace& filter, std::vector<std::string>& damaged) const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  explicit GuardStore(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;
};

}  // namespace aaco
