// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>

#include "cli/queue/queue_subcommands.h"

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "kind/compared_session.h"
#include "kind/queue_samples.h"
#include "report/pair_comparison_report.h"
#include "report/sinks.h"
#include "verdict/pair_comparisons.h"

namespace aaco {

namespace {

struct CompareFlags {
  std::string sessions = "sessions";
  std::string baseline;  // a file, a session's folder, or the id of one
  std::string test;
  CompareOptions options;
  bool allow_inconclusive = false;
  double min_effect_pct = 5;
  std::optional<double> threshold;  // the same as a fraction
};

Result<double> min_effect_of(const CompareFlags& flags) {
  const double fraction = flags.threshold.value_or(flags.min_effect_pct / 100);
  if (fraction > 0 && fraction < 1) {
    return fraction;
  }
  if (flags.threshold) {
    return Error{ErrorKind::kUsage, fmt::format("--threshold {}: not a fraction between 0 and 1", *flags.threshold),
                 "for example --threshold 0.05"};
  }
  return Error{ErrorKind::kUsage,
               fmt::format("--min-effect {}: not a percentage between 0 and 100", flags.min_effect_pct),
               "for example --min-effect 5"};
}

Result<int> compare_queues(const CompareFlags& flags, bool json) {
  CompareOptions options = flags.options;
  AACO_ASSIGN(options.min_effect, min_effect_of(flags));
  AACO_ASSIGN(const ComparedSession baseline, load_baseline_or_session(queue_samples, flags.sessions, flags.baseline));
  AACO_ASSIGN(const ComparedSession test, load_baseline_or_session(queue_samples, flags.sessions, flags.test));
  const PairComparisons comparisons = compare_pairs(baseline.samples, test.samples, options);
  fmt::print("{}", json ? indented_json_text(Json(comparisons))
                        : report::render_lines(report::build_pair_comparison_report(comparisons, "time per unit")));
  return exit_code_of(comparisons, flags.allow_inconclusive);
}

}  // namespace

void add_queue_compare(cli::Command queue, Invocation& invocation) {
  cli::Command command = queue.add_subcommand("compare", "Did a workload become slower: runs or sweeps, pair by pair");
  auto flags = std::make_shared<CompareFlags>();
  command.add_option("-b,--baseline", flags->baseline, "File of --output, or a session")
      .required()
      .type_name("FILE|ID|DIR");
  command.add_option("--session,-t,--test", flags->test, "The same; --test is its older name")
      .required()
      .type_name("FILE|ID|DIR");
  command.add_option("--min-effect", flags->min_effect_pct, {0, 100}, "Smallest change that matters, in percent")
      .capture_default_str()
      .type_name("PCT");
  command.add_option("--threshold", flags->threshold, {0, 1}, "Older name of --min-effect, a fraction")
      .excludes("--min-effect");
  command.of_originals({"--threshold"});
  command.add_flag("--allow-inconclusive", flags->allow_inconclusive, "Exit 0 instead of 4 when inconclusive");
  command.add_flag(
      "--allow-different", flags->options.allow_different,
      "Compare runs on different devices or drivers, and where one side has more configurations; name what "
      "differs");
  add_sessions_folder(command, flags->sessions);
  add_json_flag(command, invocation);
  set_examples(
      command,
      "  aaco queue compare --baseline sweep_v1.json --session sweep_v2.json\n"
      "Exit codes: 0 equivalent or improved, 1 regressed, 4 inconclusive, invalid, or configurations that only "
      "one side has.");
  command.callback([flags, &invocation] { invocation.finish(compare_queues(*flags, invocation.json)); });
}

}  // namespace aaco
