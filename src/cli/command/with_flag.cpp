// SPDX-License-Identifier: MIT
#include "cli/command/with_flag.h"

#include <vector>

#include "experiment/tool/vendor_tool.h"

namespace aaco {

cli::Option add_with_flag(cli::Command command, std::string& tool) {
  std::vector<std::string> names;
  for (const VendorTool& one : all_vendor_tools()) {
    names.emplace_back(one.name);
  }
  names.emplace_back(kAllVendorTools);
  return command
      .add_option(
          "--with", tool,
          "One more process, under that profiler, which must be on the PATH: what it wrote is kept, and its events "
          "are in the session's trace; all: under each that can be used, one after the other")
      .one_of(names);
}

}  // namespace aaco
