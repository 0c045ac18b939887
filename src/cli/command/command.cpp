// SPDX-License-Identifier: MIT
#include "cli/command/command.h"

#include "session/session_tags.h"

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

cli::Option add_tag_flag(cli::Command command, Invocation& invocation) {
  return add_tag_flag(command, "-t,--tag", invocation.tags, "Tag of the session, to find it by; may be given again");
}

cli::Option add_tag_flag(cli::Command command, const std::string& names, std::vector<std::string>& tags,
                         const std::string& what) {
  return command.add_option(names, tags, what).type_name("TAG").named_each_time().checked(checked_tag);
}

void set_examples(cli::Command command, const std::string& examples) { command.footer("Examples:\n" + examples); }

}  // namespace aaco
