// SPDX-License-Identifier: MIT
#include "kind/trace/trace_memory.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

#include "analysis/timeline/trace_summary.h"
#include "base/format.h"
#include "base/memory/machine_memory.h"
#include "base/memory/spill_file.h"
#include "session/trace_tables.h"

namespace aaco::imports {

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kProgramFileBytes = uint64_t{20} << 20;  // of the program and of DuckDB while it writes
constexpr uint64_t kProgramBytes = uint64_t{160} << 20;     // with what DuckDB collects for a group of rows

fs::path nearest_folder(const fs::path& wanted) {
  std::error_code error;
  fs::path folder = fs::absolute(wanted, error);
  while (!fs::is_directory(folder, error) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  return folder;
}

}  // namespace

Result<void> limit_import(const ImportMemory& memory, uint64_t trace_bytes, const fs::path& sessions_root) {
  if (memory.bytes < ImportMemory::kLeastBytes) {
    return Error{ErrorKind::kUsage,
                 fmt::format("--memory: {} is too little", format_si(static_cast<double>(memory.bytes), "B")),
                 fmt::format("at least {}MiB", ImportMemory::kLeastBytes >> 20)};
  }
  const uint64_t measure = std::clamp(trace_bytes, ImportMemory::kLeastBytes, memory.bytes);
  set_spill_plan({measure / 8, kProgramFileBytes + measure / 16, nearest_folder(sessions_root)});
  return {};
}

Result<void> expect_room_for_analyses(const EventTable& events, const ImportMemory& memory) {
  AACO_TRY(expect_analysis_memory(events));
  const uint64_t arguments = events.size() == 0 ? 0 : events.arguments.end(events.size() - 1);
  const uint64_t table_bytes = TraceSize{events.size(), arguments}.bytes() + events.strings.bytes();
  const uint64_t held_bytes = std::min(table_bytes, spill_plan().memory_bytes + spill_plan().resident_bytes);
  const uint64_t needed_bytes =
      held_bytes + kProgramBytes + events.size() * kAnalysisBytesPerEvent + engine_step_bytes(events);
  if (needed_bytes <= memory.bytes) {
    return {};
  }
  return Error{
      ErrorKind::kUnavailable,
      fmt::format("the analysis of {} events needs, with them, {} of memory, --memory allows {}", events.size(),
                  format_si(static_cast<double>(needed_bytes), "B"), format_si(static_cast<double>(memory.bytes), "B")),
      "--memory allows more"};
}

void limit_to_machine() {
  const std::optional<int64_t> available = available_memory_bytes();
  if (!available || spill_plan().memory_bytes != SpillPlan().memory_bytes) {
    return;
  }
  const char* const chosen = std::getenv("TMPDIR");
  set_spill_plan({static_cast<uint64_t>(*available) / 2, SpillPlan().resident_bytes,
                  chosen != nullptr ? chosen : "/var/tmp"});  // /tmp is often in memory itself
}

}  // namespace aaco::imports
