// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <memory>

#include "cli/overlap/overlap_flags.h"
#include "cli/overlap/overlap_subcommands.h"

#include "base/json.h"
#include "base/json_text.h"
#include "experiment/overlap_config/overlap_plan.h"

namespace aaco {

namespace {

struct Flags {
  OverlapFlags overlap;
  bool dry_run = false;
};

Result<int> run(const Flags& flags, const Invocation& invocation) {
  AACO_ASSIGN(const overlap::ConfigReading reading,
              overlap::read_overlap_config(flags.overlap.config, flags.overlap.overrides));
  AACO_ASSIGN(const RankDevices devices, rank_devices(flags.overlap.device));
  if (flags.dry_run) {
    AACO_ASSIGN(overlap::OverlapPlan plan, overlap::plan_overlap(reading, devices.ids));
    if (!devices.why.empty()) {
      plan.notes.push_back(devices.why);
    }
    fmt::print("{}", invocation.json ? indented_json_text(overlap::plan_json(plan)) : overlap::plan_text(plan));
    return 0;
  }
  if (!reading.refusals.empty()) {
    return overlap::refusal_of(reading.refusals);
  }
  return Error{ErrorKind::kUnavailable, "aaco overlap run trains nothing yet", "--dry-run prints the plan"};
}

}  // namespace

void add_overlap_run(cli::Command overlap, Invocation& invocation) {
  cli::Command command = overlap.add_subcommand("run", "Train, a rank per device, and measure what hid behind what");
  auto flags = std::make_shared<Flags>();
  add_overlap_flags(command, flags->overlap);
  command.add_flag("--dry-run", flags->dry_run,
                   "Print the plan: ranks, shards, collectives and bytes of a step, memory, and what is refused");
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco overlap run --config configs/overlap/llama_nano.yaml --device cpu:0,cpu:1\n"
               "  aaco overlap run --config configs/overlap/llama_888m.yaml --override training.max_steps=100 "
               "compile.enabled=true\n"
               "  aaco overlap run --config configs/overlap/default.yaml --dry-run --json");
  command.callback([flags, &invocation] { invocation.finish(run(*flags, invocation)); });
}

}  // namespace aaco
