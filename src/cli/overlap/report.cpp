// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <memory>

#include "cli/overlap/overlap_subcommands.h"

#include "base/json.h"
#include "base/json_text.h"
#include "import/overlap_logs.h"

namespace aaco {

namespace {

struct Flags {
  std::vector<std::string> folders;
  std::vector<std::string> labels;
  int64_t skip_steps = 0;
  std::string output;
};

Result<int> report(const Flags& flags, const Invocation& invocation) {
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
  cli::Command command =
      overlap.add_subcommand("report", "Compare what trainings left in training.output_dir, ours or the public tool's");
  auto flags = std::make_shared<Flags>();
  command.add_option("--log-dir", flags->folders, "Folder of rank_*_metrics.jsonl; several of one label are its runs")
      .required()
      .type_name("DIR");
  command.add_option("--label", flags->labels, "What the folder before it is called; the first is compared with")
      .required()
      .type_name("NAME");
  command
      .add_option("--skip-steps", flags->skip_steps,
                  "First steps to leave out, by global_step; the public tool leaves out none")
      .capture_default_str();
  command.add_option("-o,--output", flags->output, "Write the JSON to a file too").type_name("FILE");
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco overlap report --log-dir before --label before --log-dir after --label after\n"
               "  aaco overlap report --log-dir artifacts --label mine --skip-steps 1 --json");
  command.callback([flags, &invocation] { invocation.finish(report(*flags, invocation)); });
}

}  // namespace aaco
