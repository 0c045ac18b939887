// SPDX-License-Identifier: MIT
#include "cli/queue/compare.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "cli/queue/queue_subcommands.h"

#include "base/json.h"
#include "base/json_text.h"
#include "report/pair_comparison_report.h"
#include "report/sinks.h"
#include "session/catalog/catalog.h"
#include "session/session.h"
#include "verdict/queue_compare.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

struct CompareFlags {
  QueueCompareRequest request;
  double min_effect_pct = 5;
  std::optional<double> threshold;  // the same as a fraction
};

// A file, a session's folder, or the id of one.
Result<std::vector<RunSample>> load(const std::string& sessions, const std::string& name) {
  std::error_code error;
  fs::path path = name;
  if (!fs::is_regular_file(path, error)) {
    AACO_ASSIGN(path, find_session(sessions, name));
    AACO_ASSIGN(const SessionInfo info, read_session_info(path));
    if (!info.kind.traits().has_queue_runs) {
      return Error{
          ErrorKind::kUsage,
          fmt::format("{}: is a session of kind {}, not a run or sweep of aaco queue", path.string(), info.kind.word()),
          fmt::format("aaco report --session {} shows it", path.string())};
    }
    path /= info.kind.traits().document;
  }
  AACO_ASSIGN(const Json document, read_json(path));
  return queue_samples(document, path.string());
}

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

Result<int> compare_documents(CompareFlags flags, bool json) {
  AACO_ASSIGN(flags.request.options.min_effect, min_effect_of(flags));
  flags.request.json = json;
  return compare_queue_documents(flags.request);
}

}  // namespace

Result<int> compare_queue_documents(const QueueCompareRequest& request) {
  AACO_ASSIGN(const auto baseline, load(request.sessions, request.baseline));
  AACO_ASSIGN(const auto test, load(request.sessions, request.test));
  const PairComparisons comparisons = compare_queues(baseline, test, request.options);
  if (request.json) {
    fmt::print("{}", indented_json_text(Json(comparisons)));
  } else {
    fmt::print("{}", report::render_lines(report::build_pair_comparison_report(comparisons, "time per unit")));
  }
  return exit_code_of(comparisons, request.allow_inconclusive);
}

void add_queue_compare(cli::Command queue, Invocation& invocation) {
  cli::Command command = queue.add_subcommand("compare", "Did a workload become slower: runs or sweeps, pair by pair");
  auto flags = std::make_shared<CompareFlags>();
  command.add_option("-b,--baseline", flags->request.baseline, "File of --output, or a session")
      .required()
      .type_name("FILE|ID|DIR");
  command.add_option("--session,-t,--test", flags->request.test, "The same; --test is its older name")
      .required()
      .type_name("FILE|ID|DIR");
  command.add_option("--min-effect", flags->min_effect_pct, "Smallest change that matters, in percent")
      .capture_default_str()
      .type_name("PCT");
  command.add_option("--threshold", flags->threshold, "Older name of --min-effect, a fraction")
      .excludes("--min-effect");
  command.add_flag("--allow-inconclusive", flags->request.allow_inconclusive, "Exit 0 instead of 4 when inconclusive");
  command.add_flag(
      "--allow-different", flags->request.options.allow_different,
      "Compare runs on different devices or drivers, and where one side has more configurations; name what "
      "differs");
  add_sessions_folder(command, flags->request.sessions);
  add_json_flag(command, invocation);
  set_examples(
      command,
      "  aaco queue compare --baseline sweep_v1.json --session sweep_v2.json\n"
      "Exit codes: 0 equivalent or improved, 1 regressed, 4 inconclusive, invalid, or configurations that only "
      "one side has.");
  command.callback([flags, &invocation] { invocation.finish(compare_documents(*flags, invocation.json)); });
}

}  // namespace aaco
