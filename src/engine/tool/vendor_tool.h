// SPDX-License-Identifier: MIT
// The profilers of vendors that a run can be put under: how each is called, and what of its output is read.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace aaco {

using CommandLine = std::vector<std::string>;

// The name that stands for all of them, one after the other.
inline constexpr const char* kAllVendorTools = "all";

struct VendorTool {
  const char* name;        // as the user gives it
  const char* program;     // as it is called
  std::vector<int> least;  // version
  const char* install;
  // The whole command: `program` and its arguments before the worker's. Everything is to be written below `folder`.
  CommandLine (*command)(const std::string& program, const std::filesystem::path& folder, const CommandLine& worker);
  // What turns what was written into what is read; null where nothing has to.
  CommandLine (*convert)(const std::string& program, const std::filesystem::path& folder);
  // What it takes by environment variable alone.
  std::vector<std::pair<std::string, std::string>> (*environment)(const std::filesystem::path& folder) = nullptr;
};

std::span<const VendorTool> all_vendor_tools();

struct ToolProgram {
  const VendorTool* tool = nullptr;
  std::string program;
  std::string version;  // the line in which it says so
};

// Errors: kUsage for a name that is none of them; kUnavailable where it is not on the PATH, does not run, does not say
// its version, or is older than what is needed.
Result<ToolProgram> find_vendor_tool(const std::string& name);

struct ToolSet {
  std::vector<ToolProgram> tools;
  std::vector<std::string> left_out;  // of kAllVendorTools: which cannot be used, why, and what to install
};

// Of a name, that one; of kAllVendorTools, those that can be used; of "" none. Errors: as find_vendor_tool();
// kUnavailable where of all of them none can be used.
Result<ToolSet> find_vendor_tools(const std::string& name);

}  // namespace aaco
