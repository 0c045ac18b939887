// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <memory>

#include "cli/command/progress_line.h"
#include "cli/command/session_page.h"
#include "cli/llama/llama_flags.h"
#include "cli/llama/llama_subcommands.h"
#include "cli/llama/step_trace.h"
#include "cli/llama/training_page.h"

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/characters.h"
#include "kind/training/document/training_ladder.h"
#include "kind/training/report/training_ladder_report.h"
#include "kind/training/training_run.h"
#include "report/sinks.h"

namespace aaco {

namespace {

struct Flags {
  LlamaFlags llama;
  std::vector<int32_t> versions{1, 2, 3, 4};
  std::string output;
};

Result<int> compare(const Flags& flags, const Invocation& invocation) {
  std::vector<TrainingRequest> requests;
  for (const int32_t version : flags.versions) {
    AACO_ASSIGN(requests.emplace_back(), to_training_request(flags.llama, invocation));
    requests.back().version = version;
  }
  ProgressLine progress(invocation.quiet);
  std::vector<TrainingRunDocument> runs;
  for (Result<TrainingRunDocument>& run : run_trainings(requests, progress.callback())) {
    AACO_ASSIGN(runs.emplace_back(), std::move(run));
  }
  progress.wipe();
  const TrainingLadder ladder = training_ladder(runs);
  if (!flags.output.empty()) {
    AACO_TRY(write_json(flags.output, Json(ladder)));
  }
  for (const TrainingRunDocument& run : runs) {
    if (run.request.profile) {
      AACO_TRY(write_step_trace(run.bundle));
    }
  }
  for (const TrainingRunDocument& run : runs) {
    AACO_TRY(write_session_page(run.bundle));
  }
  AACO_ASSIGN(const std::filesystem::path page, write_ladder_page(ladder));
  fmt::print("{}", invocation.json ? indented_json_text(Json(ladder))
                                   : report::render_lines(report::build_training_ladder_report(ladder)));
  if (!invocation.json) {
    fmt::print("\n{}", page_line(page));
  }
  return 0;
}

}  // namespace

void add_llama_compare(cli::Command llama, Invocation& invocation) {
  cli::Command command =
      llama.add_subcommand("compare", "Train several versions, their processes in turns, and say what each bought");
  auto flags = std::make_shared<Flags>();
  command.add_option("--versions", flags->versions, {1, 1000}, "Which, in the order of the ladder")
      .delimiter(',')
      .capture_default_str();
  add_llama_flags(command, flags->llama);
  add_tag_flag(command, invocation);
  command.add_option("-o,--output", flags->output, "Write the JSON to a file too").type_name("FILE").written();
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco llama compare --preset nano --device cpu:0\n"
               "  aaco llama compare --preset small --precision bf16 --processes 5\n"
               "  aaco llama compare --versions 1,4 --json");
  command.callback([flags, &invocation] { invocation.finish(compare(*flags, invocation)); });
}

}  // namespace aaco
