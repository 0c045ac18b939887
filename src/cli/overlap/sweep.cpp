// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <memory>

#include "cli/command/progress_line.h"
#include "cli/command/session_page.h"
#include "cli/overlap/overlap_flags.h"
#include "cli/overlap/overlap_subcommands.h"

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/characters.h"
#include "kind/sweep/report/sharded_sweep_report.h"
#include "kind/sweep/sharded_sweep_run.h"
#include "report/sinks.h"

namespace aaco {

namespace {

struct Flags {
  OverlapFlags overlap;
  std::vector<std::string> keys;
  std::vector<std::string> variables;
  int64_t processes = 5;
  std::string sessions = "sessions";
  bool always_on = false;
  std::string output;
};

Result<ShardedSweepRequest> request_of(const Flags& flags, const Invocation& invocation) {
  ShardedSweepRequest request;
  request.config = flags.overlap.config;
  request.overrides = flags.overlap.overrides;
  request.rounds = flags.processes;
  request.sessions = flags.sessions;
  request.kernel_plane = flags.overlap.kernel_plane;
  request.command_line = invocation.command_line;
  if (flags.processes < 1 || flags.processes > 1000) {
    return Error{ErrorKind::kUsage, fmt::format("--processes {}: not from 1 to 1000", flags.processes),
                 "intervals need three or more"};
  }
  for (const std::string& text : flags.keys) {
    AACO_ASSIGN(request.axes.emplace_back(), parse_sweep_axis(text, false));
  }
  for (const std::string& text : flags.variables) {
    AACO_ASSIGN(request.axes.emplace_back(), parse_sweep_axis(text, true));
  }
  AACO_ASSIGN(const RankDevices devices, rank_devices(flags.overlap.device, std::nullopt));
  request.devices = devices.ids;
  return request;
}

Result<int> sweep(const Flags& flags, const Invocation& invocation) {
  AACO_ASSIGN(const ShardedSweepRequest request, request_of(flags, invocation));
  ProgressLine progress(invocation.quiet);
  AACO_ASSIGN(const auto outcome, run_sharded_sweep(request, progress.callback()));
  progress.wipe();
  const ShardedSweep& document = outcome.document;
  const Json json = Json(document);
  if (!flags.output.empty()) {
    AACO_TRY(write_json(flags.output, json));
  }
  AACO_ASSIGN(const std::filesystem::path page, write_session_page(document.bundle));
  fmt::print("{}", invocation.json ? indented_json_text(json)
                                   : report::render_text(report::build_sharded_sweep_summary(document)));
  if (!invocation.json) {
    fmt::print("{}", page_line(page));
  }
  return outcome.exit_code();
}

}  // namespace

void add_overlap_sweep(cli::Command overlap, Invocation& invocation) {
  cli::Command command =
      overlap.add_subcommand("sweep", "Change one key or variable at a time, in turns, and say what each change did");
  auto flags = std::make_shared<Flags>();
  add_overlap_flags(command, flags->overlap);
  command.add_option("--sweep", flags->keys, "Values of a key, each against the configuration as it is")
      .type_name("KEY=VALUE,... ...");
  command.add_option("--env", flags->variables, "Values of a variable of the environment, as of NCCL's")
      .type_name("NAME=VALUE,... ...");
  command
      .add_option("--processes", flags->processes, {1, 1000},
                  "Rounds, each with fresh processes of every point in another order")
      .capture_default_str();
  command.add_flag("--generate-report", flags->always_on, "Always on: each session has its page");
  command.of_originals({"--generate-report"});
  command.add_option("-o,--output", flags->output, "Write the JSON to a file too").type_name("FILE").written();
  add_sessions_folder(command, flags->sessions);
  add_tag_flag(command, invocation);
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco overlap sweep --config configs/overlap/llama_nano.yaml --device cpu:0,cpu:1 --sweep "
               "fsdp.prefetch_depth=1,2 fsdp.reshard_after_forward=false\n"
               "  aaco overlap sweep --config configs/overlap/llama_888m.yaml --env NCCL_MAX_NCHANNELS=4,8,16 "
               "NCCL_ALGO=Ring,Tree CUDA_DEVICE_MAX_CONNECTIONS=1\n"
               "  aaco overlap sweep --config configs/overlap/llama_nano.yaml --override distributed.mode=ddp --sweep "
               "distributed.bucket_cap_mb=0.1,1,25");
  command.callback([flags, &invocation] { invocation.finish(sweep(*flags, invocation)); });
}

}  // namespace aaco
