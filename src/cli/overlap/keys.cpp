// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "cli/overlap/overlap_subcommands.h"

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "kind/sharded/config/read_config.h"

namespace aaco {

void add_overlap_keys(cli::Command overlap, Invocation& invocation) {
  cli::Command command = overlap.add_subcommand("keys", "The keys of a configuration, their defaults and meanings");
  add_json_flag(command, invocation);
  set_examples(command, "  aaco overlap keys\n  aaco overlap keys --json");
  command.callback([&invocation] {
    const Json keys = sharded::sharded_run_config_keys();
    if (invocation.json) {
      fmt::print("{}", indented_json_text(keys));
    } else {
      for (const Json& key : keys) {
        fmt::print("{:<36} {:<16} {}\n", key["key"].get<std::string>(), key["default"].dump(),
                   key["meaning"].get<std::string>());
      }
    }
    invocation.finish(0);
  });
}

}  // namespace aaco
