// SPDX-License-Identifier: MIT
// aaco worker: what `aaco run` starts for each process. Not for people, and not in the help.
#include <memory>

#include "cli/command/command.h"

#include "kind/all_kinds.h"

namespace aaco {

void add_worker_command(cli::Command app, Invocation& invocation) {
  struct Options {
    std::string plan;
    std::string role;
    int64_t process = 0;
  };
  auto options = std::make_shared<Options>();
  cli::Command command = app.add_subcommand("worker", "One process of a run");
  command.group("");
  command.add_option("plan", options->plan, "The plan of the run").required();
  command.add_option("--role", options->role, "What the process does").required();
  command.add_option("--process", options->process, {0}, "Its number").required();
  command.callback([options, &invocation] {
    invocation.finish(run_worker(all_worker_roles(), options->plan, options->role, options->process));
  });
}

}  // namespace aaco
