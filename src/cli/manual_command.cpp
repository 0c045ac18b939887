// SPDX-License-Identifier: MIT
// aaco manual: the manual page, for packages. Not in the help: people have --help.
#include <fmt/format.h>

#include "cli/command/command.h"
#include "cli/completion/command_tree.h"
#include "cli/completion/manual_page.h"

#include "base/version.h"

namespace aaco {

void add_manual_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("manual", "The manual page, aaco(1)");
  command.group("");
  command.callback([app, &invocation]() mutable {
    fmt::print("{}", completion::manual_page(completion::command_tree(app.app(), {}), program_version()));
    invocation.finish(0);
  });
}

}  // namespace aaco
