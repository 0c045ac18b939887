// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "cli/command/progress_line.h"
#include "cli/command/session_page.h"
#include "cli/overlap/cluster_gates.h"
#include "cli/overlap/launched_ranks.h"
#include "cli/overlap/overlap_flags.h"
#include "cli/overlap/overlap_subcommands.h"
#include "cli/overlap/rank_lines.h"

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/side_note.h"
#include "engine/ranks/nodes/node_group.h"
#include "kind/sharded/config/rank_place.h"
#include "kind/sharded/config/sharded_plan.h"
#include "kind/sharded/report/sharded_report.h"
#include "kind/sharded/sharded_run.h"
#include "report/sinks.h"

namespace aaco {

namespace {

struct Flags {
  OverlapFlags overlap;
  bool dry_run = false;
  bool no_check = false;
  bool require = false;
  bool always_on = false;
  std::vector<std::string> gates;
  std::string inject;
  std::string sessions = "sessions";
  std::string output;
};

std::string launched_note(const sharded::RankPlace& place) {
  const int32_t port = sharded::rendezvous_port(place);
  return fmt::format("a launcher started {} ranks, {} on this node{}", place.ranks, place.local_ranks,
                     port == 0 ? ""
                               : fmt::format("; rank 0's node is {}, and other nodes would find it at port {}",
                                             place.address.empty() ? "this one" : place.address, port));
}

// The other nodes are taken to have devices as this one does.
Result<int> print_plan(const sharded::ConfigReading& reading, const RankDevices& devices,
                       const std::optional<sharded::RankPlace>& place, bool as_json) {
  std::vector<std::string> of_all = devices.ids;
  for (size_t rank = of_all.size(); place && rank < static_cast<size_t>(place->ranks); ++rank) {
    of_all.push_back(devices.ids[rank % devices.ids.size()]);
  }
  const auto node_ranks = place ? std::optional(place->local_ranks) : std::nullopt;
  AACO_ASSIGN(sharded::ShardedPlan plan, sharded::plan_sharded(reading, of_all, node_ranks));
  if (place) {
    plan.notes.push_back(launched_note(*place));
  }
  if (!devices.why.empty()) {
    plan.notes.push_back(devices.why);
  }
  fmt::print("{}", as_json ? indented_json_text(sharded::plan_json(plan)) : sharded::plan_text(plan));
  return 0;
}

Json json_of(const ShardedDocument& document, const std::vector<GateFinding>& findings) {
  Json json = document;
  for (const GateFinding& finding : findings) {
    json["cluster_gates"].push_back({{"gate", finding.gate.name},
                                     {"threshold", finding.gate.threshold},
                                     {"found", finding.found},
                                     {"passed", finding.passed}});
  }
  return json;
}

// Exit code 1 where a gate is missed.
Result<int> present(const ShardedDocument& document, const std::vector<GateFinding>& findings, const Flags& flags,
                    const Invocation& invocation) {
  const Json json = json_of(document, findings);
  if (!flags.output.empty()) {
    AACO_TRY(write_json(flags.output, json));
  }
  AACO_ASSIGN(const std::filesystem::path page, write_session_page(document.bundle));
  const bool missed = !std::ranges::all_of(findings, &GateFinding::passed);
  if (invocation.json) {
    fmt::print("{}", indented_json_text(json));
    return missed ? 1 : 0;
  }
  report::Report summary = report::build_sharded_summary(document);
  if (!findings.empty()) {
    summary.sections.push_back(gates_section(findings));
  }
  fmt::print("{}{}{}\n", report::render_text(summary), page_line(page), result_line(document));
  return missed ? 1 : 0;
}

Result<int> train(const Flags& flags, const sharded::ConfigReading& reading, const RankDevices& devices,
                  const std::vector<ClusterGate>& gates, const ShardedInjection& injection, NodeGroup* nodes,
                  const Invocation& invocation) {
  ShardedRequest request;
  request.config = reading.config;
  request.devices = nodes == nullptr ? devices.ids : nodes->devices();
  request.notes = reading.notes;
  request.check = !flags.no_check;
  request.inject = injection;
  request.kernel_plane = flags.overlap.kernel_plane;
  request.sessions = flags.sessions;
  request.command_line = invocation.command_line;
  if (!devices.why.empty()) {
    request.notes.push_back(devices.why);
  }
  ProgressLine progress(invocation.quiet);
  std::optional<ShardedDocument> hung;
  const Result<ShardedDocument> ran = run_sharded(request, progress.callback(), nodes, &hung);
  progress.wipe();
  if (!ran) {
    if (hung && invocation.json) {
      fmt::print("{}", indented_json_text(Json(*hung)));
    } else if (hung) {
      note("{}\n", report::render_text(report::build_hang_report(*hung)));
    }
    return ran.error();
  }
  const ShardedDocument& document = *ran;
  const std::string& folder = reading.config.training.output_dir;
  AACO_TRY(write_rank_lines(folder, document, reading.config));
  if (reading.config.profiling.enabled && reading.config.profiling.chrome_trace) {
    AACO_TRY(write_rank_traces(folder, reading.config.profiling.trace_filename, document));
  }
  if (reading.config.profiling.enabled && reading.config.profiling.tensorboard) {
    AACO_TRY(write_tensorboard_traces(folder, document));
  }
  return present(document, judge_cluster_gates(gates, document), flags, invocation);
}

Result<int> run(const Flags& flags, const Invocation& invocation) {
  AACO_ASSIGN(sharded::ConfigReading reading,
              sharded::read_sharded_run_config(flags.overlap.config, flags.overlap.overrides));
  reading.config.distributed.require_collectives |= flags.require;
  AACO_ASSIGN(const std::vector<ClusterGate> gates, parse_cluster_gates(flags.gates));
  ShardedInjection injection;
  if (!flags.inject.empty()) {
    AACO_ASSIGN(injection, parse_injection(flags.inject));
  }
  AACO_ASSIGN(const std::optional<sharded::RankPlace> place, launched_rank());
  AACO_ASSIGN(const RankDevices devices, rank_devices(flags.overlap.device, place));
  AACO_TRY(sharded::check_library(reading.config, devices.ids));
  if (flags.dry_run) {
    return place && place->rank != 0 ? Result<int>(0) : print_plan(reading, devices, place, invocation.json);
  }
  constexpr int64_t kSecondNs = 1'000'000'000;
  return as_launched(place, devices.ids, reading.config.distributed.timeout_s * kSecondNs, [&](NodeGroup* nodes) {
    return train(flags, reading, devices, gates, injection, nodes, invocation);
  });
}

}  // namespace

void add_overlap_run(cli::Command overlap, Invocation& invocation) {
  cli::Command command = overlap.add_subcommand("run", "Train, a rank per device, and measure what hid behind what");
  auto flags = std::make_shared<Flags>();
  add_overlap_flags(command, flags->overlap);
  command.add_flag("--dry-run", flags->dry_run,
                   "Print the plan: ranks, shards, collectives and bytes of a step, and memory");
  command
      .add_option("--gate", flags->gates,
                  "Exit code 1 where a figure misses it: max_avg_iteration_ms, min_compute_ratio, min_overlap_ratio, "
                  "max_time_variance_ratio")
      .type_name("NAME=NUMBER ...");
  command
      .add_option(
          "--inject", flags->inject,
          "A fault on purpose in a rank, from 0, at a step, from 1, to see how it is named: stop, kill, sleep, "
          "skip or size (of a collective), spin (a kernel); teardown:RANK behind the last step. setup:RANK:SECONDS is "
          "none: a set-up that takes so much longer")
      .type_name("KIND:RANK:STEP")
      .excludes("--dry-run");
  command.add_flag("--no-check", flags->no_check, "Do not check losses and races before measuring");
  command.add_flag("--require", flags->require,
                   "Exit code 3 where collectives did not go the way of distributed.collectives, as the records show");
  command.rare({"--inject", "--no-check", "--require"});
  command.add_flag("--generate-report", flags->always_on, "Always on: each session has its page");
  command.of_originals({"--generate-report"});
  command.add_option("-o,--output", flags->output, "Write the JSON to a file too").type_name("FILE").written();
  add_sessions_folder(command, flags->sessions);
  add_tag_flag(command, invocation);
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco overlap run --config configs/overlap/llama_nano.yaml --device cpu:0,cpu:1\n"
               "  aaco overlap run --config configs/overlap/llama_888m.yaml --override training.max_steps=100 "
               "compile.enabled=true\n"
               "  aaco overlap run --config configs/overlap/llama_888m.yaml --gate min_overlap_ratio=0.9\n"
               "  aaco overlap run --config configs/overlap/default.yaml --dry-run\n"
               "  aaco overlap run --config configs/overlap/llama_nano.yaml --device cpu:0,cpu:1 --override "
               "distributed.timeout=2 --inject skip:1:6\n"
               "  torchrun --no-python --nproc_per_node 2 aaco overlap run --config configs/overlap/llama_nano.yaml "
               "--device cpu:0,cpu:1");
  command.callback([flags, &invocation] { invocation.finish(run(*flags, invocation)); });
}

}  // namespace aaco
