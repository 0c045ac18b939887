// SPDX-License-Identifier: MIT
#include <exception>
#include <system_error>

#include "analysis/timeline/trace_summary.h"
#include "base/files/file.h"
#include "base/files/new_file.h"
#include "base/interrupt.h"
#include "base/process/limit_error.h"
#include "base/unfinished_path.h"
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
    const uint64_t file_bytes = entry->is_regular_file(error) ? entry->file_size(error) : 0;
    bytes += error ? 0 : file_bytes;
  }
  return bytes;
}

// File by file where the folder is there: what else lies in it stays.
Result<void> move_into_place(const fs::path& temporary, const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    fs::rename(temporary, path, error);
    return error ? Result<void>(file_error(path, "write", error.value())) : Result<void>();
  }
  for (fs::recursive_directory_iterator entry(temporary, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->is_regular_file()) {
      const fs::path target = path / entry->path().lexically_relative(temporary);
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
  AACO_TRY(write_trace_tables(folder, events, OnInterrupt::kEnd));
  try {
    AACO_TRY(write_analysis_files(folder, events, summarise_trace(events)));
    end_if_interrupted();
  } catch (const std::exception& exception) {  // memory, or an interrupt: what is written goes
    return error_of(exception);
  }
  return {};
}

}  // namespace

Result<ExportCounts> write_parquet_folder(const EventTable& events, const fs::path& path) {
  const fs::path temporary = temporary_name(path);
  const UnfinishedPath unfinished(temporary);
  Result<void> written = write_tables(events, temporary);
  ExportCounts counts;
  counts.events = events.size();
  counts.bytes = bytes_in(temporary);
  if (written) {
    written = move_into_place(temporary, path);
  }
  std::error_code error;
  fs::remove_all(temporary, error);
  if (!written) {
    return written.error();
  }
  return counts;
}

}  // namespace aaco
