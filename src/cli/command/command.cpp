// SPDX-License-Identifier: MIT
#include "cli/command/command.h"

namespace aaco {

cli::Option add_sessions_folder(cli::Command command, std::string& folder) {
  return command.add_option("--sessions", folder, "Folder that holds the session bundles")
      .capture_default_str()
      .type_name("DIR");
}

cli::Option add_json_flag(cli::Command command, Invocation& invocation) {
  return command.add_flag("--json", invocation.json, "Print JSON instead of a table");
}

void add_quiet_flag(cli::Command command, Invocation& invocation) {
  command.add_flag("--quiet", invocation.quiet, "No progress on stderr");
}

void add_kernel_plane_flag(cli::Command command, bool& wanted) {
  command.add_flag("--kernel-plane", wanted, "Record when measured threads did not run, and why");
}

void set_examples(cli::Command command, const std::string& examples) { command.footer("Examples:\n" + examples); }

}  // namespace aaco
