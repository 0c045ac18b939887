// SPDX-License-Identifier: MIT
// Recordings that are not in Parquet yet: a file each, written beside its name and renamed, so that it is whole or not
// there. The first line is the SHA-256 of the rest: a file that lost power before the disk had it is told from a whole
// one. Any number of processes append at once; none waits for another.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "guard/store/guard_rows.h"

namespace aaco {

// Unlike any other of any machine: time, machine and its boot, process, and a count.
std::string next_record_id(int64_t wall_ns);

// The name is the record's id. Not synced: that would take longer than all else, and is for the compaction to do.
Result<void> append_to_journal(const std::filesystem::path& journal, const GuardEntry& entry);

// By name. Those alone that were renamed. Errors: as folder_entries.
Result<std::vector<std::filesystem::path>> journal_entries(const std::filesystem::path& journal);

// `content`: of the file `path`. That it cannot be read is no damage, so that callers read it. Errors: kUsage for a
// damaged one.
Result<GuardEntry> parse_journal_entry(const std::string& content, const std::filesystem::path& path);

}  // namespace aaco
