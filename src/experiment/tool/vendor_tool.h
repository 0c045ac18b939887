// SPDX-License-Identifier: MIT
// The profilers of vendors that a run can be put under: how each is called, and what of its output is read.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace aaco {

using CommandLine = std::vector<std::string>;

struct VendorTool {
  const char* name;        // as the user gives it, and as the program is called
  std::vector<int> least;  // version
  const char* install;
  // The whole command: `program` and its arguments before the worker's. Everything is to be written below `folder`.
  CommandLine (*command)(const std::string& program, const std::filesystem::path& folder, const CommandLine& worker);
  // What turns what was written into what is read; null where nothing has to.
  CommandLine (*convert)(const std::string& program, const std::filesystem::path& folder);
};

std::span<const VendorTool> all_vendor_tools();

struct FoundTool {
  const VendorTool* tool = nullptr;
  std::string program;
  std::string version;  // the line in which it says so
};

// Errors: kUsage for a name that is none of them; kUnavailable where it is not on the PATH, does not run, does not say
// its version, or is older than what is needed.
Result<FoundTool> find_vendor_tool(const std::string& name);

}  // namespace aaco
