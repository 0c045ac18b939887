// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "cli/overlap/overlap_subcommands.h"

#include "analysis/overlap/weak_scaling.h"
#include "base/json.h"
#include "base/json_text.h"
#include "import/machines.h"
#include "import/overlap_logs.h"
#include "report/overlap/scaling_report.h"
#include "report/sinks.h"
#include "session/catalog/catalog.h"
#include "session/layout.h"
#include "session/session_info.h"

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
Result<void> check_machines(const std::vector<OverlapDocument>& runs) {
  for (const OverlapDocument& run : runs) {
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

Result<OverlapDocument> document_of(const std::string& sessions, const std::string& name) {
  AACO_ASSIGN(const std::filesystem::path bundle, find_session(sessions, name));
  AACO_ASSIGN(const SessionInfo info, read_session_info(bundle));
  if (!(info.kind == SessionKind(session_kind::kOverlap))) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: is a session of kind {}, not a sharded training", bundle.string(), info.kind.word()),
                 "give sessions of aaco overlap run"};
  }
  AACO_ASSIGN(const Json document, read_json(bundle / layout::kOverlap));
  return read_overlap_document(document, (bundle / layout::kOverlap).string());
}

Result<int> scaling(const Flags& flags, const Invocation& invocation) {
  std::vector<OverlapDocument> runs;
  for (const std::string& name : flags.scaling) {
    AACO_ASSIGN(runs.emplace_back(), document_of(flags.sessions, name));
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
  const Json json = imports::overlap_logs_json(logs);
  if (!flags.output.empty()) {
    AACO_TRY(write_json(flags.output, json));
  }
  fmt::print("{}", invocation.json ? indented_json_text(json) : imports::overlap_logs_text(logs));
  return 0;
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
      .add_option("--skip-steps", flags->skip_steps,
                  "First steps to leave out, by global_step; the public tool leaves out none")
      .capture_default_str();
  command
      .add_option("--scaling", flags->scaling,
                  "Instead: weak scaling of these sessions of aaco overlap run, which differ in their ranks alone")
      .type_name("SESSION ...")
      .excludes("--log-dir");
  command.add_option("--predict", flags->predict, "Numbers of ranks that were not measured, to be predicted then")
      .delimiter(',')
      .capture_default_str();
  add_sessions_folder(command, flags->sessions);
  command.add_option("-o,--output", flags->output, "Write the JSON to a file too").type_name("FILE");
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco overlap report --log-dir before --label before --log-dir after --label after\n"
               "  aaco overlap report --log-dir artifacts --label mine --skip-steps 1 --json\n"
               "  aaco overlap report --scaling one_rank two_ranks --predict 4,8");
  command.callback([flags, &invocation] { invocation.finish(report_of(*flags, invocation)); });
}

}  // namespace aaco
