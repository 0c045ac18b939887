// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "cli/command/progress_line.h"
#include "cli/command/session_page.h"
#include "cli/command/with_flag.h"
#include "cli/llama/beside_first.h"
#include "cli/llama/llama_flags.h"
#include "cli/llama/llama_subcommands.h"
#include "cli/llama/step_trace.h"

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "engine/tool/vendor_tool.h"
#include "kind/training/report/training_ladder_report.h"
#include "kind/training/report/training_run_report.h"
#include "kind/training/training_run.h"
#include "report/sinks.h"

namespace aaco {

namespace {

struct Flags {
  LlamaFlags llama;
  bool vendors = false;
  std::string first;  // what is named as version 1; empty: nothing is compared
  std::string output;
};

Result<TrainingRequest> request_of(const Flags& flags, const Invocation& invocation) {
  AACO_ASSIGN(TrainingRequest request, to_training_request(flags.llama, invocation));
  if (flags.vendors && request.with.empty()) {
    request.with = kAllVendorTools;
  }
  return request;
}

std::string beside_first_text(const TrainingLadder& ladder) {
  return fmt::format(
      "\n{}not measured in turns: what the machine drifted in between is in the speedup (aaco llama compare trains in "
      "turns)\n",
      report::render_lines(report::build_training_ladder_report(ladder)));
}

Result<int> run(const Flags& flags, const Invocation& invocation) {
  AACO_ASSIGN(const TrainingRequest request, request_of(flags, invocation));
  std::optional<TrainingRunDocument> first;
  if (!flags.first.empty()) {  // before anything is measured
    AACO_ASSIGN(first, load_first_version(request.sessions, flags.first));
    AACO_TRY(expect_same_training(*first, request));
  }
  ProgressLine progress(invocation.quiet);
  AACO_ASSIGN(const TrainingRunDocument document, run_training(request, progress.callback()));
  progress.wipe();
  Json json = Json(document);
  std::optional<TrainingLadder> ladder;
  if (first) {
    AACO_ASSIGN(ladder, beside_first(*first, document));
    json["beside_v1"] = Json(*ladder);
  }
  if (!flags.output.empty()) {
    AACO_TRY(write_json(flags.output, json));
  }
  std::filesystem::path step;
  if (document.request.profile) {
    AACO_ASSIGN(step, write_step_trace(document.bundle));
  }
  AACO_ASSIGN(const std::filesystem::path page, write_session_page(document.bundle));
  fmt::print("{}", invocation.json ? indented_json_text(json)
                                   : report::render_text(report::build_training_run_summary(document)));
  if (!step.empty() && !invocation.json) {
    fmt::print("step    {} (open it at ui.perfetto.dev)\n", step.string());
  }
  if (ladder && !invocation.json) {
    fmt::print("{}", beside_first_text(*ladder));
  }
  if (!invocation.json) {
    fmt::print("{}", page_line(page));
  }
  return 0;
}

}  // namespace

void add_llama_run(cli::Command llama, Invocation& invocation) {
  cli::Command command = llama.add_subcommand("run", "Train one version in fresh processes, and measure its steps");
  auto flags = std::make_shared<Flags>();
  command.add_option("--version", flags->llama.request.version, {1, 1000}, "1 to 4: aaco llama list")
      .capture_default_str();
  add_llama_flags(command, flags->llama);
  add_tag_flag(command, invocation);
  add_with_flag(command, flags->llama.request.with);
  command.add_flag("--enable-rocm-profiling", flags->vendors, "Means --with all").excludes("--with");
  command.of_originals({"--enable-rocm-profiling"});
  command.add_option("--compare-with-v1", flags->first, "Say what this version bought over that training of version 1")
      .type_name("FILE|ID|DIR");
  command.add_option("-o,--output", flags->output, "Write the JSON to a file too").type_name("FILE").written();
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
