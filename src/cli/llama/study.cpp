// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <memory>

#include "cli/command/progress_line.h"
#include "cli/llama/llama_flags.h"
#include "cli/llama/llama_subcommands.h"
#include "cli/llama/study_diff.h"
#include "cli/llama/training_page.h"

#include "base/json.h"
#include "base/json_text.h"
#include "experiment/training/training_study_run.h"
#include "report/pair_comparison_report.h"
#include "report/sinks.h"
#include "report/training/training_study_report.h"

namespace aaco {

namespace {

struct Flags {
  LlamaFlags llama;
  StudyAxes axes{.presets = {}, .precisions = {}, .sequences = {}, .lengths = {}, .versions = {1, 2, 3, 4}};
  StudyDiffRequest against;  // its baseline empty: nothing is compared
  double min_effect_pct = 2;
  bool allow_inconclusive = false;
  bool csv = false;
  bool no_baseline = false;
  std::string output;
};

std::string printed(const Flags& flags, const TrainingStudyDocument& study,
                    const std::optional<PairComparisons>& comparisons, bool json) {
  if (json) {
    Json document = Json(study);
    document["against"] = comparisons ? Json(*comparisons) : Json();
    return indented_json_text(document);
  }
  report::Report summary = report::build_training_study_summary(study);
  if (comparisons) {
    for (report::Section& section : report::build_pair_comparison_report(*comparisons, "step").sections) {
      summary.sections.push_back(std::move(section));
    }
  }
  return flags.csv ? report::render_csv(summary) : report::render_lines(summary);
}

Result<void> write_pages(const TrainingStudyDocument& study) {
  for (const StudyCell& cell : study.cells) {
    if (cell.run) {
      AACO_TRY(write_training_page(cell.bundle));
    }
  }
  return {};
}

// Without version 1, where the workshop's word for that was given.
StudyAxes axes_of(const Flags& flags) {
  StudyAxes axes = flags.axes;
  if (flags.no_baseline) {
    std::erase(axes.versions, 1);
  }
  return axes;
}

Result<int> run_study(const Flags& flags, const Invocation& invocation) {
  if (!(flags.min_effect_pct > 0) || !(flags.min_effect_pct < 100)) {
    return Error{ErrorKind::kUsage,
                 fmt::format("--min-effect {}: not a percentage between 0 and 100", flags.min_effect_pct),
                 "for example --min-effect 5"};
  }
  if (!flags.against.baseline.empty()) {  // before anything is measured
    AACO_TRY(load_study(flags.llama.request.sessions, flags.against.baseline));
  }
  AACO_ASSIGN(const TrainingRequest base, to_training_request(flags.llama, invocation));
  ProgressLine progress(invocation.quiet);
  AACO_ASSIGN(const TrainingStudyOutcome outcome, run_training_study(base, axes_of(flags), progress.callback()));
  progress.wipe();
  const TrainingStudyDocument& study = outcome.document;
  if (!flags.output.empty()) {
    AACO_TRY(write_json(flags.output, Json(study)));
  }
  if (flags.llama.pages) {
    AACO_TRY(write_pages(study));
  }
  AACO_ASSIGN(const std::filesystem::path page, write_training_page(study.bundle));
  std::optional<PairComparisons> comparisons;
  if (!flags.against.baseline.empty()) {
    StudyDiffRequest against = flags.against;
    against.test = study.bundle;
    against.sessions = flags.llama.request.sessions;
    against.options.min_effect = flags.min_effect_pct / 100;
    AACO_ASSIGN(comparisons, diff_studies(against));
  }
  fmt::print("{}", printed(flags, study, comparisons, invocation.json));
  if (!invocation.json && !flags.csv) {
    fmt::print("\nbundle  {}\nreport  {}\n", study.bundle, page.string());
  }
  if (outcome.failure) {
    return *outcome.failure;
  }
  return comparisons ? exit_code_of(*comparisons, flags.allow_inconclusive) : 0;
}

}  // namespace

void add_llama_study(cli::Command llama, Invocation& invocation) {
  cli::Command command = llama.add_subcommand(
      "study", "Train every combination of sizes, versions, precisions and batches, their processes in turns");
  auto flags = std::make_shared<Flags>();
  const auto list = [&](const char* names, auto& values, const char* what) {
    return command.add_option(names, values, what).delimiter(',').type_name("LIST");
  };
  list("--presets", flags->axes.presets, "Sizes, as nano,tiny; default: --preset");
  list("--versions", flags->axes.versions, "Versions of each").capture_default_str();
  list("--precisions", flags->axes.precisions, "Precisions of each; default: --precision");
  list("--batch-sizes", flags->axes.sequences, "Sequences of a step; default: --batch-size");
  list("--seq-lens", flags->axes.lengths, "Tokens of a sequence; default: --seq-len");
  add_llama_flags(command, flags->llama);
  command.add_flag("--no-baseline", flags->no_baseline, "Leave version 1 out");
  command.add_option("--against", flags->against.baseline, "Say what became slower than this study or training")
      .type_name("FILE|ID|DIR");
  command.add_option("--min-effect", flags->min_effect_pct, "Smallest change that matters then, in percent")
      .capture_default_str()
      .type_name("PCT");
  command.add_flag("--allow-inconclusive", flags->allow_inconclusive, "Exit 0 instead of 4 when inconclusive");
  command.add_flag("--allow-different", flags->against.options.allow_different,
                   "Compare other configurations too, and name what differs");
  command.add_flag("--csv", flags->csv, "Print the table as comma-separated values");
  command.add_option("-o,--output", flags->output, "Write the JSON to a file too").type_name("FILE");
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco llama study --presets nano,tiny --versions 1,2,3,4 --device cpu:0\n"
               "  aaco llama study --presets small --precisions fp32,bf16 --batch-sizes 4,8,16 --processes 5\n"
               "  aaco llama study --preset nano --seq-lens 32,64,128 --csv\n"
               "  aaco llama study --preset nano --against study.json\n"
               "What does not fit in memory is a row of the study; what fails is one too, and the exit code is its. "
               "With --against: 0 equivalent or improved, 1 regressed, 4 inconclusive or invalid.");
  command.callback([flags, &invocation] { invocation.finish(run_study(*flags, invocation)); });
}

}  // namespace aaco
