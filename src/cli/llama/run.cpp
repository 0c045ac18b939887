// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <memory>

#include "cli/command/progress_line.h"
#include "cli/command/with_flag.h"
#include "cli/llama/llama_flags.h"
#include "cli/llama/llama_subcommands.h"
#include "cli/llama/step_trace.h"
#include "cli/llama/training_page.h"

#include "base/json.h"
#include "base/json_text.h"
#include "experiment/training/training_run.h"
#include "report/training/training_run_report.h"

namespace aaco {

namespace {

struct Flags {
  LlamaFlags llama;
  std::string output;
};

Result<int> run(const Flags& flags, const Invocation& invocation) {
  ProgressLine progress(invocation.quiet);
  AACO_ASSIGN(const TrainingRunDocument document,
              run_training(to_training_request(flags.llama, invocation), progress.callback()));
  progress.wipe();
  const Json json = Json(document);
  if (!flags.output.empty()) {
    AACO_TRY(write_json(flags.output, json));
  }
  std::filesystem::path step;
  if (document.request.profile) {
    AACO_ASSIGN(step, write_step_trace(document.bundle));
  }
  std::filesystem::path page;
  if (flags.llama.pages) {
    AACO_ASSIGN(page, write_training_page(document.bundle));
  }
  fmt::print("{}", invocation.json ? indented_json_text(json) : report::training_run_text(document));
  if (!step.empty() && !invocation.json) {
    fmt::print("step    {} (open it at ui.perfetto.dev)\n", step.string());
  }
  if (!page.empty() && !invocation.json) {
    fmt::print("report  {}\n", page.string());
  }
  return 0;
}

}  // namespace

void add_llama_run(cli::Command llama, Invocation& invocation) {
  cli::Command command = llama.add_subcommand("run", "Train one version in fresh processes, and measure its steps");
  auto flags = std::make_shared<Flags>();
  command.add_option("--version", flags->llama.request.version, "1 to 4: aaco llama list").capture_default_str();
  add_llama_flags(command, flags->llama);
  add_with_flag(command, flags->llama.request.with);
  command.add_option("-o,--output", flags->output, "Write the JSON to a file too").type_name("FILE");
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco llama run --version 1 --preset nano --device cpu:0\n"
               "  aaco llama run --version 4 --preset small --precision bf16 --device cuda:0\n"
               "  aaco llama run --version 2 --batch-size 8 --seq-len 128 --num-steps 50\n"
               "  aaco llama run --version 1 --device cuda:0 --with nsys");
  command.callback([flags, &invocation] { invocation.finish(run(*flags, invocation)); });
}

}  // namespace aaco
