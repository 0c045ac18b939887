// SPDX-License-Identifier: MIT
// Where a trace came from: files, and which part of an import that several processes shared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aaco {

struct TraceFile {
  std::string path;
  std::string format;
  uint64_t bytes = 0;  // on disk
};

// One of several processes' part of an import; the recordings lie in the first `filled` of them.
struct TraceShard {
  std::string job;
  int64_t index = 0;
  int64_t count = 1;
  int64_t filled = 1;
};

struct TraceOrigin {
  std::vector<TraceFile> files;
  std::vector<std::string> unknown_files;  // of a folder: in no known format
  std::optional<TraceShard> shard;         // of a session that holds a part of an import
};

}  // namespace aaco
