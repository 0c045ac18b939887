// SPDX-License-Identifier: MIT
// Forms in which a trace leaves for other programs, each a line in all_export_formats.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/events/event_table.h"

namespace aaco {

// What a file of the format does not hold, or holds in another way than the trace. Nothing is left out without one.
struct ExportRemark {
  std::string what;  // "untimed events"
  uint64_t count = 0;
  bool left_out = false;
  std::string why;
};

struct ExportCounts {
  uint64_t events = 0;  // of the table that are in the file
  uint64_t bytes = 0;   // on disk
  std::vector<ExportRemark> remarks;

  void remark(std::string what, uint64_t count, bool left_out, std::string why) {
    if (count > 0) {
      remarks.push_back({std::move(what), count, left_out, std::move(why)});
    }
  }
};

struct ExportFormat {
  const char* id;    // "chrome"
  const char* what;  // one line
  // Errors: kUsage, kResource, kInterrupted; nothing of a new file is left then, and an old one is as it was.
  Result<ExportCounts> (*write)(const EventTable& events, const std::filesystem::path& path);
};

std::span<const ExportFormat> all_export_formats();

// Of files that end with .gz, gzip.
Result<ExportCounts> write_chrome(const EventTable& events, const std::filesystem::path& path);
Result<ExportCounts> write_perfetto(const EventTable& events, const std::filesystem::path& path);
// A workbook, of the analyses alone.
Result<ExportCounts> write_xlsx(const EventTable& events, const std::filesystem::path& path);
// A folder: trace/ and analysis/ as in a session.
Result<ExportCounts> write_parquet_folder(const EventTable& events, const std::filesystem::path& path);

}  // namespace aaco
