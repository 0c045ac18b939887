// SPDX-License-Identifier: MIT
// What the `aaco trace` commands take of the memory: events beyond it lie in files, and analyses that do not fit are
// left to the reports of the session.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"
#include "record/events/event_table.h"

namespace aaco::imports {

struct ImportMemory {
  static constexpr uint64_t kDefaultBytes = uint64_t{2} << 30;
  static constexpr uint64_t kLeastBytes = uint64_t{256} << 20;

  uint64_t bytes = kDefaultBytes;
};

// From now on, for all tables of events: what they hold in memory is little beside a trace of `trace_bytes`, so that
// with its analyses it comes to no more than that. Files go into `sessions_root`, or the folder above that is there.
// Errors: kUsage where the memory is too little for anything.
Result<void> limit_import(const ImportMemory& memory, uint64_t trace_bytes, const std::filesystem::path& sessions_root);

// Errors: kUnavailable where what the import may take, or the machine has, is too little for the analyses beside the
// table.
Result<void> expect_room_for_analyses(const EventTable& events, const ImportMemory& memory);

// Where nothing limits them yet: half of the memory that the machine has left is for events, more of them lie in
// $TMPDIR, else /var/tmp.
void limit_to_machine();

}  // namespace aaco::imports
