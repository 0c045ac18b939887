// SPDX-License-Identifier: MIT
// Where a row lies: STORE/values/subject=S/backend=B/machine=M/month=2026-11/part-ID.parquet.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "guard/store/guard_rows.h"

namespace aaco {

// "2026-11", by UTC.
std::string month_of(int64_t wall_ns);

// Relative to the folder of a table.
std::filesystem::path partition_folder(const SeriesPlace& place, const std::string& month);

struct PartitionFile {
  std::filesystem::path path;
  SeriesPlace place;
};

// All files of a table, oldest month first. A member of `filter` that is empty matches all. Folders that are not ours
// are left out. `unreadable` gets an error for each folder that cannot be read, as another user's.
std::vector<PartitionFile> partition_files(const std::filesystem::path& table, const SeriesPlace& filter,
                                           std::vector<Error>& unreadable);

// The folders of months themselves, where files are merged. What cannot be read is left out.
std::vector<std::filesystem::path> month_folders(const std::filesystem::path& table, const SeriesPlace& filter);

bool matches(const SeriesPlace& filter, const SeriesPlace& place);

}  // namespace aaco
