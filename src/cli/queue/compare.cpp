// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include "cli/queue/queue_subcommands.h"

#include "base/characters.h"
#include "base/format.h"
#include "session/catalog.h"
#include "session/layout.h"
#include "verdict/queue_compare.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

struct CompareFlags {
  std::string baseline;
  std::string test;
  std::string sessions = "sessions";
  double threshold = 0.05;
  bool allow_inconclusive = false;
  bool allow_different = false;
};

// A file, a session's folder, or the id of one.
Result<std::vector<RunSample>> load(const std::string& sessions, const std::string& name) {
  std::error_code error;
  fs::path path = name;
  if (!fs::is_regular_file(path, error)) {
    AACO_ASSIGN(path, find_session(sessions, name));
    path /= layout::kQueue;
  }
  AACO_ASSIGN(const Json document, read_json(path));
  return queue_samples(document, path.string());
}

std::string change_text(const Comparison& comparison) {
  if (!comparison.ratio) {
    return "";
  }
  const std::string change = format_percent(*comparison.ratio - 1);
  return comparison.interval ? fmt::format("{} [{}, {}]", change, format_percent(comparison.interval->low - 1),
                                           format_percent(comparison.interval->high - 1))
                             : change;
}

void print_comparisons(const QueueComparisons& comparisons) {
  std::vector<std::vector<std::string>> rows{{"configuration", "verdict", "time per unit [98 %]"}};
  for (const QueueComparison& pair : comparisons.pairs) {
    rows.push_back({pair.configuration, verdict_name(pair.comparison.verdict), change_text(pair.comparison)});
  }
  fmt::print("{}\n", format_table(rows));
  for (const QueueComparison& pair : comparisons.pairs) {
    fmt::print("{}: {}\n", printable(pair.configuration), printable(pair.comparison.reason));
    for (const std::string& warning : pair.comparison.warnings) {
      fmt::print("  warning: {}\n", printable(warning));
    }
  }
  for (const std::string& unpaired : comparisons.unpaired) {
    fmt::print("{}\n", printable(unpaired));
  }
}

Result<int> compare_documents(const CompareFlags& flags, bool json) {
  if (!(flags.threshold > 0) || !(flags.threshold < 1)) {
    return Error{ErrorKind::kUsage, fmt::format("--threshold {}: not a fraction between 0 and 1", flags.threshold),
                 "for example --threshold 0.05"};
  }
  AACO_ASSIGN(const auto baseline, load(flags.sessions, flags.baseline));
  AACO_ASSIGN(const auto test, load(flags.sessions, flags.test));
  CompareOptions options;
  options.min_effect = flags.threshold;
  options.allow_different = flags.allow_different;
  const QueueComparisons comparisons = compare_queues(baseline, test, options);
  if (json) {
    fmt::print("{}\n", Json(comparisons).dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    print_comparisons(comparisons);
  }
  return exit_code_of(comparisons, flags.allow_inconclusive);
}

}  // namespace

void add_queue_compare(CLI::App& queue, Invocation& invocation) {
  CLI::App* command = queue.add_subcommand("compare", "Did a workload become slower: runs or sweeps, pair by pair");
  auto flags = std::make_shared<CompareFlags>();
  command->add_option("-b,--baseline", flags->baseline, "File of --output, or a session")
      ->required()
      ->type_name("FILE|ID|DIR");
  command->add_option("-t,--test", flags->test, "The same")->required()->type_name("FILE|ID|DIR");
  command->add_option("--threshold", flags->threshold, "Smallest change that matters, a fraction")
      ->capture_default_str();
  command->add_flag("--allow-inconclusive", flags->allow_inconclusive, "Exit 0 instead of 4 when inconclusive");
  command->add_flag("--allow-different", flags->allow_different,
                    "Compare runs on different devices or drivers, and name what differs");
  add_sessions_folder(*command, flags->sessions);
  add_json_flag(*command, invocation);
  set_examples(*command,
               "  aaco queue compare --baseline sweep_v1.json --test sweep_v2.json\n"
               "Exit codes: 0 equivalent or improved, 1 regressed, 4 inconclusive, invalid, or nothing to pair.");
  command->callback([flags, &invocation] { invocation.finish(compare_documents(*flags, invocation.json)); });
}

}  // namespace aaco
