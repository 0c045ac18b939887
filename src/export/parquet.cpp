// SPDX-License-Identifier: MIT
#include <system_error>

#include "analysis/timeline/trace_summary.h"
#include "base/file.h"
#include "base/interrupt.h"
#include "base/new_file.h"
#include "export/analysis_files.h"
#include "export/export_format.h"
#include "session/trace_tables.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

uint64_t bytes_in(const fs::path& folder) {
  uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const uint64_t its = entry->is_regular_file(error) ? entry->file_size(error) : 0;
    bytes += error ? 0 : its;
  }
  return bytes;
}

// File by file where the folder is there: what else lies in it stays.
Result<void> move_into_place(const fs::path& made, const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    fs::rename(made, path, error);
    return error ? Result<void>(file_error(path, "write", error.value())) : Result<void>();
  }
  for (fs::recursive_directory_iterator entry(made, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_regular_file()) {
      const fs::path target = path / fs::relative(entry->path(), made);
      AACO_TRY(make_folders(target.parent_path()));
      fs::rename(entry->path(), target, error);
      if (error) {
        return file_error(target, "write", error.value());
      }
    }
  }
  return error ? Result<void>(file_error(path, "write", error.value())) : Result<void>();
}

Result<void> write_tables(const EventTable& events, const fs::path& folder) {
  AACO_TRY(expect_analysis_memory(events));
  AACO_TRY(write_trace_tables(folder, events));
  AACO_TRY(write_analysis_files(folder, events, summarise_trace(events)));
  return interrupted() ? Result<void>(Error{ErrorKind::kInterrupted, "interrupted", ""}) : Result<void>();
}

}  // namespace

Result<ExportCounts> write_parquet_folder(const EventTable& events, const fs::path& path) {
  const fs::path made = temporary_name(path);
  Result<void> written = write_tables(events, made);
  ExportCounts counts;
  counts.events = events.size();
  counts.bytes = bytes_in(made);
  if (written) {
    written = move_into_place(made, path);
  }
  std::error_code error;
  fs::remove_all(made, error);
  if (!written) {
    return written.error();
  }
  return counts;
}

}  // namespace aaco
