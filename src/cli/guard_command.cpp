// SPDX-License-Identifier: MIT
// aaco guard: did a change make it slower, as CI asks.
#include "cli/command/command.h"
#include "cli/guard/guard_subcommands.h"

namespace aaco {

void add_guard_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("guard", "Did it become slower? History, verdict, CI output");
  command.require_subcommand();
  add_guard_record(command, invocation);
  add_guard_check(command, invocation);
  add_guard_report(command, invocation);
  add_guard_series(command, invocation);
  add_guard_bisect(command, invocation);
  set_examples(command,
               "  aaco guard record -- ./bench --size 3\n"
               "  aaco guard check --against ./bench-of-main -- ./bench --size 3\n"
               "  aaco guard check --session latest --junit guard.xml\n"
               "  aaco guard report\n"
               "  aaco guard series --file values.csv\n"
               "  aaco guard bisect --good v1.2 --bad main -- ./build_and_measure.sh");
}

}  // namespace aaco
