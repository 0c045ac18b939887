// SPDX-License-Identifier: MIT
#include "cli/worker_command.h"

#include <memory>

#include "experiment/worker_role.h"

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
  command.add_option("--process", options->process, "Its number").required();
  command.callback(
      [options, &invocation] { invocation.finish(run_worker(options->plan, options->role, options->process)); });
}

}  // namespace aaco
