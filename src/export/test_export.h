// SPDX-License-Identifier: MIT
// For tests: a trace written, and what a reader makes of the file.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <unistd.h>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "export/export_format.h"
#include "ingest/trace_format.h"

namespace aaco {

struct TestExport {
  std::unique_ptr<TemporaryFolder> folder;
  std::filesystem::path path;
  Result<ExportCounts> counts;

  EventTable read() const {
    auto trace = read_trace({{path}});
    EXPECT_TRUE(trace) << trace.error().message;
    return trace ? std::move(trace->events) : EventTable();
  }
  std::string text() const {
    auto content = read_file(path);
    EXPECT_TRUE(content);
    return content ? *content : "";
  }
  uint64_t remark(std::string_view what) const {
    for (const ExportRemark& each : counts->remarks) {
      if (each.what == what) {
        return each.count;
      }
    }
    return 0;
  }
};

inline const ExportFormat& export_format(std::string_view id) {
  const auto formats = all_export_formats();
  return *std::find_if(formats.begin(), formats.end(), [&](const ExportFormat& each) { return each.id == id; });
}

inline TestExport export_to(std::string_view format, const EventTable& table, const std::string& name = "trace") {
  auto folder = TemporaryFolder::create();
  EXPECT_TRUE(folder);
  auto kept = std::make_unique<TemporaryFolder>(std::move(*folder));
  const std::filesystem::path path = kept->path() / name;
  return {std::move(kept), path, export_format(format).write(table, path)};
}

}  // namespace aaco
