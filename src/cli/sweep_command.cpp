// SPDX-License-Identifier: MIT
// aaco sweep: throughput over batch sizes, and where it saturates.
#include <fmt/format.h>
#include <memory>

#include "cli/command/command.h"
#include "cli/command/progress_line.h"
#include "cli/command/session_page.h"
#include "cli/run_flags.h"

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/number_range.h"
#include "base/text/characters.h"
#include "kind/model_run/report/run_report.h"
#include "kind/sweep/model_sweep_run.h"
#include "kind/sweep/report/model_sweep_report.h"
#include "report/sinks.h"
#include "session/bundle/layout.h"

namespace aaco {

namespace {

struct SweepFlags {
  RunFlags run;
  std::vector<std::string> batches;
};

// What the report says first, and the batches.
report::Report summary_of(report::Report built, const ModelSweepDocument& sweep) {
  std::erase_if(built.sections,
                [](const report::Section& section) { return section.id != "summary" && section.id != "batches"; });
  built.footer = "bundle  " + sweep.bundle;
  return built;
}

// What is meant as a number, also where it is none that can be taken: no name of a model.
bool is_number(const std::string& word) {
  return word == "nan" || word == "inf" || word.find_first_not_of("+-0123456789.eE") == std::string::npos;
}

Result<int> run(SweepFlags flags, const Invocation& invocation) {
  give_model_back(flags.batches, is_number, flags.run);
  std::vector<int64_t> batches;
  for (const std::string& batch : flags.batches) {
    AACO_ASSIGN(batches.emplace_back(), number_within<int64_t>("--batch", batch, {1, 1'000'000'000}));
  }
  AACO_ASSIGN(RunRequest request, to_request(flags.run, invocation));
  ProgressLine progress(invocation.quiet);
  AACO_ASSIGN(const auto outcome, run_model_sweep(request, batches, progress.callback()));
  progress.wipe();
  const ModelSweepDocument& sweep = outcome.document;
  AACO_ASSIGN(const OpenSession session, open_session(sweep.bundle));
  const report::Report built = report::build_model_sweep_report(session, sweep);
  const std::filesystem::path page = std::filesystem::path(sweep.bundle) / layout::kReport;
  AACO_TRY(write_report(built, page.parent_path()));
  if (invocation.json) {
    fmt::print("{}", indented_json_text(Json(sweep)));
  } else {
    fmt::print("{}{}", report::render_text(summary_of(built, sweep)), page_line(page));
  }
  return outcome.exit_code();
}

}  // namespace

void add_sweep_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("sweep", "Run a model over several batch sizes: throughput, saturation");
  auto flags = std::make_shared<SweepFlags>();
  add_run_flags(command, flags->run);
  add_tag_flag(command, invocation);
  command.add_option("--batch", flags->batches, "Batch sizes, as 1,2,4,8").delimiter(',').required().type_name("N,...");
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco sweep resnet50 --backend cpu --batch 1,2,4,8\n  aaco sweep --model bert-base --backend "
               "cuda --dim sequence=128 --batch 1,8,64 --precision fp16");
  command.callback([flags, &invocation] { invocation.finish(run(*flags, invocation)); });
}

}  // namespace aaco
