// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "cli/command/progress_line.h"
#include "cli/llama/llama_flags.h"
#include "cli/llama/llama_subcommands.h"
#include "cli/llama/training_page.h"

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "kind/training/document/training_roofline.h"
#include "kind/training/report/roofline_section.h"
#include "kind/training/training_kind.h"
#include "kind/training/training_run.h"
#include "report/sinks.h"
#include "session/catalog/catalog.h"

namespace aaco {

namespace {

struct Flags {
  LlamaFlags llama;
  std::string session;  // empty: a training is measured
  bool csv = false;
  std::string output;
};

Result<TrainingRunDocument> training_of(const Flags& flags, const Invocation& invocation) {
  if (!flags.session.empty()) {
    AACO_ASSIGN(const std::filesystem::path bundle, find_session(flags.llama.request.sessions, flags.session));
    return load_training(bundle);
  }
  AACO_ASSIGN(TrainingRequest request, to_training_request(flags.llama, invocation));
  request.measure_roofs = true;
  ProgressLine progress(invocation.quiet);
  return run_training(request, progress.callback());
}

Result<int> roofline(const Flags& flags, const Invocation& invocation) {
  AACO_ASSIGN(const TrainingRunDocument run, training_of(flags, invocation));
  if (const std::string why = why_no_speed(run); !why.empty()) {
    return Error{ErrorKind::kInvalid, fmt::format("{}: {}", run.bundle, why),
                 "no speed is said of a training that is wrong"};
  }
  Json json = Json(step_roofline(run));
  json["kind"] = "training_roofline";
  json["bundle"] = run.bundle;
  if (!flags.output.empty()) {
    AACO_TRY(write_json(flags.output, json));
  }
  const report::Report built = report::build_training_roofline_report(run);
  AACO_ASSIGN(const std::filesystem::path page, write_roofline_page(run.bundle, built));
  if (invocation.json) {
    fmt::print("{}", indented_json_text(json));
  } else if (flags.csv) {
    fmt::print("{}", report::render_csv(built));
  } else {
    fmt::print("{}\nbundle  {}\nreport  {}\n", report::render_lines(built), run.bundle, page.string());
  }
  return 0;
}

}  // namespace

void add_llama_roofline(cli::Command llama, Invocation& invocation) {
  cli::Command command = llama.add_subcommand(
      "roofline", "What each part and module of a step reaches of what the device can do, and what binds it");
  auto flags = std::make_shared<Flags>();
  command.add_option("--session", flags->session, "A training that was recorded; default: one is measured now")
      .type_name("ID|DIR");
  command.add_option("--version", flags->llama.request.version, {1, 1000}, "1 to 4: aaco llama list")
      .capture_default_str();
  add_llama_flags(command, flags->llama);
  add_tag_flag(command, invocation);
  command.add_flag("--csv", flags->csv, "Print the tables as comma-separated values");
  command.add_option("-o,--output", flags->output, "Write the JSON to a file too").type_name("FILE").written();
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco llama roofline --version 2 --preset nano --device cpu:0\n"
               "  aaco llama roofline --session latest --csv\n"
               "  aaco llama roofline --version 4 --preset medium --precision bf16 --json");
  command.callback([flags, &invocation] { invocation.finish(roofline(*flags, invocation)); });
}

}  // namespace aaco
