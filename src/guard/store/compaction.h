// SPDX-License-Identifier: MIT
// From journal files to Parquet; guard_store.h says what holds when it is killed.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"

namespace aaco {

inline constexpr const char* kJournalFolder = "journal";

// Of the journal and of a compaction that was killed. `unreadable` gets an error for each of their folders that cannot
// be read.
std::vector<std::filesystem::path> pending_entries(const std::filesystem::path& store, std::vector<Error>& unreadable);

// Entries that a compaction found damaged: they are kept in the journal under another name.
std::vector<std::filesystem::path> set_aside_entries(const std::filesystem::path& store);

// Where another process compacts, what waits for it is synced instead: recorded means on the disk. So is an entry that
// cannot be read now, as another user's: it stays where it is.
Result<void> compact_store(const std::filesystem::path& store);

}  // namespace aaco
