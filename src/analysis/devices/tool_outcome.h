// SPDX-License-Identifier: MIT
// What a vendor's profiler, under which a process of a run ran, left: profiler/tool.json, and a part of documents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"

namespace aaco {

struct ToolOutcome {
  std::string tool;
  std::string version;
  std::vector<std::string> command;
  std::string folder;  // within the bundle
  struct File {
    std::string path;    // within the bundle
    std::string format;  // that it was read as; empty: kept only
    uint64_t bytes = 0;
  };
  std::vector<File> files;
  uint64_t events = 0;
};

void to_json(Json& json, const ToolOutcome& outcome);
void from_json(const Json& json, ToolOutcome& outcome);

// Of a document: its "tools"; of one of an earlier version, its "tool".
std::vector<ToolOutcome> tools_of(const Json& document);

}  // namespace aaco
