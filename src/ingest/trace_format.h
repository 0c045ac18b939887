// SPDX-License-Identifier: MIT
// The formats of traces that can be read, each a line in all_trace_formats.cpp. A file's format is known by its
// content.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ingest/bytes/byte_source.h"
#include "trace/event_table.h"

namespace aaco {

struct TraceFormat {
  const char* id;    // "kineto"
  const char* what;  // one line
  // By the first bytes of the file, inflated.
  bool (*recognises)(std::string_view head);
  Result<EventTable> (*read)(ByteSource& source, const std::string& name);
};

struct ReadTrace {
  const TraceFormat* format = nullptr;
  uint64_t file_bytes = 0;  // on disk
  EventTable events;
};

// Errors: kUsage where the file cannot be read, no format takes it, or its format refuses it.
Result<ReadTrace> read_trace(const std::filesystem::path& path);

}  // namespace aaco
