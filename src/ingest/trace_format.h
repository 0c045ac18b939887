// SPDX-License-Identifier: MIT
// The formats of traces that can be read, each a line in all_trace_formats.cpp. A file's format is known by its
// content.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ingest/bytes/byte_source.h"
#include "record/events/event_table.h"

namespace aaco {

// A file that is to be read.
struct TraceInput {
  std::filesystem::path path;
  std::string name;  // in messages
  ByteSource& bytes;
  uint32_t recording = 0;  // that its events belong to
};

struct TraceFormat {
  const char* id;    // "kineto"
  const char* what;  // one line
  // By the first bytes of the file, inflated.
  bool (*recognises)(std::string_view head);
  // Adds what the file holds to a table, which may hold other files already, though not their losses. Errors: kUsage
  // where it is not of the format after all; what was added by then is of no use.
  Result<void> (*read)(const TraceInput& input, EventTable& into);
  // Files of one recording have this in common; null where each file is a recording of its own.
  std::string (*recording_of)(const std::filesystem::path& path) = nullptr;
  // Files of formats with the same one may belong to one recording; null: only those of this one.
  const char* family = nullptr;
};

// In the order in which they are tried; the list is in all_trace_formats.cpp.
std::span<const TraceFormat> all_trace_formats();

struct ReadTrace {
  struct File {
    std::filesystem::path path;
    std::string format;  // id, of its recording: what the reader found it to be
    uint64_t bytes = 0;  // on disk
  };
  std::vector<File> files;                     // in the order in which they were read
  std::vector<std::filesystem::path> unknown;  // of a folder: what no format takes
  EventTable events;
  int64_t filled_shares = 1;  // the first so many hold a recording
};

// A part of the recordings, about as many bytes as the others: together they are all.
struct ReadShare {
  int64_t index = 0;
  int64_t count = 1;
};

// All the files as one trace; of a folder, what lies in it, in the order of names. Errors: kUsage where a file cannot
// be read, no format takes one that was named, a folder holds none, or its format refuses one. A share may be empty.
Result<ReadTrace> read_trace(std::span<const std::filesystem::path> paths, ReadShare share = {});

}  // namespace aaco
