// SPDX-License-Identifier: MIT
#include "cli/command/with_flag.h"

#include <vector>

#include "engine/tool/vendor_tool.h"

namespace aaco {

cli::Option add_with_flag(cli::Command command, std::string& tool) {
  std::vector<std::string> names;
  for (const VendorTool& vendor_tool : all_vendor_tools()) {
    names.emplace_back(vendor_tool.name);
  }
  names.emplace_back(kAllVendorTools);
  return command
      .add_option("--with", tool,
                  "One more process, under that profiler of the PATH; its files and events are kept. all: each that "
                  "can be used")
      .one_of(names);
}

}  // namespace aaco
