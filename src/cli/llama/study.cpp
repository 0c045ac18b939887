// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <memory>

#include "cli/command/progress_line.h"
#include "cli/command/session_page.h"
#include "cli/llama/llama_flags.h"
#include "cli/llama/llama_subcommands.h"

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "kind/session_comparison.h"
#include "kind/sweep/report/training_study_report.h"
#include "kind/sweep/training_study_run.h"
#include "kind/training_samples.h"
#include "report/sinks.h"
#include "session/bundle/layout.h"

namespace aaco {

namespace {

struct Flags {
  LlamaFlags llama;
  StudyAxes axes{.presets = {}, .precisions = {}, .sequences = {}, .lengths = {}, .versions = {1, 2, 3, 4}};
  ComparisonRequest against;  // its baseline empty: nothing is compared
  double min_effect_pct = 2;
  bool allow_inconclusive = false;
  bool csv = false;
  bool no_baseline = false;
  std::string output;
};

std::string printed(const Flags& flags, const TrainingStudyDocument& study,
                    const std::optional<SessionComparison>& comparison, bool json) {
  if (json) {
    Json document = Json(study);
    document["against"] = comparison ? verdict_json(*comparison) : Json();
    return indented_json_text(document);
  }
  report::Report summary = report::build_training_study_summary(study);
  if (comparison) {
    for (report::Section& section : build_comparison_summary(*comparison, std::nullopt).sections) {
      summary.sections.push_back(std::move(section));
    }
  }
  return flags.csv ? report::render_csv(summary) : report::render_lines(summary);
}

Result<void> write_pages(const TrainingStudyDocument& study) {
  for (const StudyCell& cell : study.cells) {
    if (cell.run) {
      AACO_TRY(write_session_page(cell.bundle));
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
    AACO_TRY(load_baseline_or_session(training_samples, flags.llama.request.sessions, flags.against.baseline));
  }
  AACO_ASSIGN(const TrainingRequest base, to_training_request(flags.llama, invocation));
  ProgressLine progress(invocation.quiet);
  AACO_ASSIGN(const auto outcome, run_training_study(base, axes_of(flags), progress.callback()));
  progress.wipe();
  const TrainingStudyDocument& study = outcome.document;
  if (!flags.output.empty()) {
    AACO_TRY(write_json(flags.output, Json(study)));
  }
  if (flags.llama.pages) {
    AACO_TRY(write_pages(study));
  }
  AACO_ASSIGN(const std::filesystem::path page, write_session_page(study.bundle));
  std::optional<SessionComparison> comparison;
  if (!flags.against.baseline.empty()) {
    ComparisonRequest against = flags.against;
    against.test = study.bundle;
    against.sessions = flags.llama.request.sessions;
    against.options.min_effect = flags.min_effect_pct / 100;
    AACO_ASSIGN(comparison, compare_sessions(against));
    AACO_TRY(write_verdict(*comparison, (std::filesystem::path(study.bundle) / layout::kVerdict).parent_path()));
  }
  fmt::print("{}", printed(flags, study, comparison, invocation.json));
  if (!invocation.json && !flags.csv) {
    fmt::print("\nbundle  {}\nreport  {}\n", study.bundle, page.string());
  }
  if (outcome.failure) {
    return *outcome.failure;
  }
  return comparison ? exit_code_of(*comparison, flags.allow_inconclusive) : 0;
}

}  // namespace

void add_llama_study(cli::Command llama, Invocation& invocation) {
  cli::Command command = llama.add_subcommand(
      "study", "Train every combination of sizes, versions, precisions and batches, their processes in turns");
  auto flags = std::make_shared<Flags>();
  const auto list = [](cli::Option option) { return option.delimiter(',').type_name("LIST"); };
  list(command.add_option("--presets", flags->axes.presets, "Sizes, as nano,tiny; default: --preset"));
  list(command.add_option("--versions", flags->axes.versions, {1, 1000}, "Versions of each")).capture_default_str();
  list(command.add_option("--precisions", flags->axes.precisions, "Precisions of each; default: --precision"));
  list(command.add_option("--batch-sizes", flags->axes.sequences, {1, 65536},
                          "Sequences of a step; default: --batch-size"));
  list(command.add_option("--seq-lens", flags->axes.lengths, {0, 65536}, "Tokens of a sequence; default: --seq-len"));
  add_llama_flags(command, flags->llama);
  add_tag_flag(command, invocation);
  command.add_flag("--no-baseline", flags->no_baseline, "Leave version 1 out");
  command.add_option("--against", flags->against.baseline, "Say what became slower than this study or training")
      .type_name("FILE|ID|DIR");
  command.add_option("--min-effect", flags->min_effect_pct, {0, 100}, "Smallest change that matters then, in percent")
      .capture_default_str()
      .type_name("PCT");
  command.add_flag("--allow-inconclusive", flags->allow_inconclusive, "Exit 0 instead of 4 when inconclusive");
  command.add_flag("--allow-different", flags->against.options.allow_different,
                   "Compare other configurations too, and name what differs");
  command.rare({"--no-baseline", "--min-effect", "--allow-inconclusive", "--allow-different"});
  command.add_flag("--csv", flags->csv, "Print the table as comma-separated values");
  command.add_option("-o,--output", flags->output, "Write the JSON to a file too").type_name("FILE").written();
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
