// SPDX-License-Identifier: MIT
// From journal files to Parquet; guard_store.h says what holds when it is killed.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"

namespace aaco {

inline constexpr const char* kJournalFolder = "journal";

// Of the journal and of a compaction that was killed.
std::vector<std::filesystem::path> pending_entries(const std::filesystem::path& store);

Result<void> compact_store(const std::filesystem::path& store);

}  // namespace aaco
