// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "cli/overlap/overlap_subcommands.h"

#include "base/files/new_file.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "kind/sharded/analysis/weak_scaling.h"
#include "kind/sharded/logs/sharded_logs.h"
#include "kind/sharded/report/scaling_report.h"
#include "kind/sharded/sharded_kind.h"
#include "report/sinks.h"
#include "session/bundle/manifest.h"
#include "session/catalog/catalog.h"
#include "verdict/identity/machines.h"

namespace aaco {

namespace {

struct Flags {
  std::vector<std::string> folders;
  std::vector<std::string> labels;
  int64_t skip_steps = 0;
  std::vector<std::string> scaling;  // sessions of other numbers of ranks
  std::vector<int64_t> predict{4, 8};
  std::string sessions = "sessions";
  std::string output;
};

// Efficiency of two machines would be a figure of neither. On GPUs a host may have more processors for more of them.
Result<void> check_machines(const std::vector<ShardedDocument>& runs) {
  for (const ShardedDocument& run : runs) {
    const bool on_cpu = !run.ranks.empty() && run.ranks.front().device.starts_with("cpu");
    const std::string difference = on_cpu ? imports::machine_difference(runs.front().bundle, run.bundle, false)
                                          : imports::gpu_difference(runs.front().bundle, run.bundle);
    if (!difference.empty()) {
      return Error{ErrorKind::kInvalid,
                   fmt::format("{} and {} were not measured on machines of one kind: {}", runs.front().bundle,
                               run.bundle, difference),
                   "give runs that differ in their ranks alone"};
    }
  }
  return {};
}

Result<int> scaling(const Flags& flags, const Invocation& invocation) {
  std::vector<ShardedDocument> runs;
  for (const std::string& name : flags.scaling) {
    AACO_ASSIGN(const std::filesystem::path bundle, find_session(flags.sessions, name));
    AACO_TRY(expect_no_input(flags.output, recorded_files(bundle)));
    AACO_ASSIGN(runs.emplace_back(), load_sharded(bundle));
  }
  AACO_TRY(check_machines(runs));
  AACO_ASSIGN(const WeakScaling found, weak_scaling(runs, flags.predict));
  const Json json = Json(found);
  if (!flags.output.empty()) {
    AACO_TRY(write_json(flags.output, json));
  }
  fmt::print("{}",
             invocation.json ? indented_json_text(json) : report::render_text(report::build_scaling_report(found)));
  return 0;
}

Result<int> report_of(const Flags& flags, const Invocation& invocation) {
  if (!flags.scaling.empty()) {
    return scaling(flags, invocation);
  }
  if (flags.folders.empty()) {
    return Error{ErrorKind::kUsage, "nothing was named",
                 "--log-dir A --label a --log-dir B --label b compares runs; --scaling SESSION... shows weak scaling"};
  }
  AACO_ASSIGN(const auto logs, imports::read_labelled_logs(flags.folders, flags.labels, flags.skip_steps));
  for (const std::string& folder : flags.folders) {
    AACO_ASSIGN(const std::vector<std::filesystem::path> files, imports::log_files_of(folder));
    AACO_TRY(expect_no_input(flags.output, files));
  }
  const Json json = imports::sharded_logs_json(logs);
  if (!flags.output.empty()) {
    AACO_TRY(write_json(flags.output, json));
  }
  fmt::print("{}", invocation.json ? indented_json_text(json) : imports::sharded_logs_text(logs));
  return imports::lost_lines(logs) ? static_cast<int>(ErrorKind::kPartial) : 0;
}

}  // namespace

void add_overlap_report(cli::Command overlap, Invocation& invocation) {
  cli::Command command = overlap.add_subcommand(
      "report",
      "Compare what trainings left in training.output_dir, ours or the public tool's; or say how a training scales");
  auto flags = std::make_shared<Flags>();
  command.add_option("--log-dir", flags->folders, "Folder of rank_*_metrics.jsonl; several of one label are its runs")
      .type_name("DIR");
  command.add_option("--label", flags->labels, "What the folder before it is called; the first is compared with")
      .type_name("NAME");
  command
      .add_option("--skip-steps", flags->skip_steps, {0},
                  "First steps to leave out, by global_step; the public tool leaves out none")
      .capture_default_str();
  command
      .add_option("--scaling", flags->scaling,
                  "Instead: weak scaling of these sessions of aaco overlap run, which differ in their ranks alone")
      .type_name("SESSION ...")
      .excludes("--log-dir");
  command
      .add_option("--predict", flags->predict, {1, 1'000'000'000},
                  "Numbers of ranks that were not measured, to be predicted then")
      .delimiter(',')
      .capture_default_str();
  add_sessions_folder(command, flags->sessions);
  command.add_option("-o,--output", flags->output, "Write the JSON to a file too").type_name("FILE").written();
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco overlap report --log-dir before --label before --log-dir after --label after\n"
               "  aaco overlap report --log-dir artifacts --label mine --skip-steps 1 --json\n"
               "  aaco overlap report --scaling one_rank two_ranks --predict 4,8");
  command.callback([flags, &invocation] { invocation.finish(report_of(*flags, invocation)); });
}

}  // namespace aaco
