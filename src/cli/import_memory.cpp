// SPDX-License-Identifier: MIT
#include "cli/import_memory.h"

#include <fmt/format.h>

#include "analysis/timeline/trace_summary.h"
#include "base/format.h"
#include "base/spill_file.h"
#include "session/trace_tables.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

// The program, DuckDB, and what it collects for a group of rows.
constexpr uint64_t kProgramBytes = uint64_t{160} << 20;

fs::path nearest_folder(fs::path folder) {
  std::error_code error;
  folder = fs::absolute(folder, error);
  while (!fs::is_directory(folder, error) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  return folder;
}

}  // namespace

Result<void> limit_import(const ImportMemory& memory, const fs::path& sessions_root) {
  if (memory.bytes < ImportMemory::kLeastBytes) {
    return Error{ErrorKind::kUsage, fmt::format("--memory {}: is too little", memory.bytes),
                 fmt::format("at least {}MiB", ImportMemory::kLeastBytes >> 20)};
  }
  set_spill_plan({memory.bytes / 2, memory.bytes / 8, nearest_folder(sessions_root)});
  return {};
}

Result<void> expect_room_for_analyses(const EventTable& events, const ImportMemory& memory) {
  const uint64_t arguments = events.size() == 0 ? 0 : events.arguments.end(events.size() - 1);
  const uint64_t held_bytes = TraceSize{events.size(), arguments}.bytes() + events.strings.bytes() + kProgramBytes;
  const uint64_t left_bytes = memory.bytes - std::min(memory.bytes, held_bytes);
  return expect_analysis_memory(events, static_cast<int64_t>(left_bytes));
}

}  // namespace aaco
