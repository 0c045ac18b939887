// SPDX-License-Identifier: MIT
// What an import may take of the memory: events beyond it lie in files, and analyses that do not fit are left to the
// reports of the session.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "trace/event_table.h"

namespace aaco {

struct ImportMemory {
  static constexpr uint64_t kDefaultBytes = uint64_t{2} << 30;
  static constexpr uint64_t kLeastBytes = uint64_t{256} << 20;

  uint64_t bytes = kDefaultBytes;
};

// From now on, for all tables of events: files go into `sessions_root`, or the folder above that is there. Errors:
// kUsage where that is too little for anything.
Result<void> limit_import(const ImportMemory& memory, const std::filesystem::path& sessions_root);

// Errors: kUnavailable where what the import may take does not suffice for the analyses beside the table.
Result<void> expect_room_for_analyses(const EventTable& events, const ImportMemory& memory);

}  // namespace aaco
