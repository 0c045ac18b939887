// SPDX-License-Identifier: MIT
#include "cli/compare/diff_command.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <utility>
#include <vector>

#include "cli/command/progress_line.h"
#include "cli/compare/compared_pair.h"
#include "cli/trace/trace_diff_command.h"

#include "base/files/file.h"
#include "base/files/new_file.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/side_note.h"
#include "base/text/characters.h"
#include "report/diff_report.h"
#include "report/pair_comparison_report.h"
#include "report/sinks.h"
#include "session/bundle/manifest.h"
#include "session/catalog/catalog.h"
#include "verdict/change/drift_margin.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr const char* kDiffPage = "diff.html";

Result<double> fraction_of(double percent, double limit_pct, const char* flag) {
  if (!(percent >= 0) || !(percent < limit_pct)) {
    return Error{ErrorKind::kUsage, fmt::format("{} {}: not a percentage from 0 to {}", flag, percent, limit_pct),
                 fmt::format("for example {} 2", flag)};
  }
  return percent / 100;
}

Result<CompareOptions> options_of(const DiffFlags& flags) {
  CompareOptions options;
  options.allow_different = flags.allow_different;
  AACO_ASSIGN(options.min_effect, fraction_of(flags.min_effect_pct, 100, "--min-effect"));
  if (flags.drift_pct) {
    AACO_ASSIGN(options.drift, fraction_of(*flags.drift_pct, 1000, "--drift"));
    options.drift_source = fmt::format("{:.3g} %, given by --drift", *flags.drift_pct);
  }
  return options;
}

// The document in the asked format.
Result<std::string> document(const DiffFlags& flags, SessionComparison& comparison) {
  if (flags.format == "json") {
    return indented_json_text(verdict_json(comparison));
  }
  if (flags.format == "text") {
    return report::render_lines(build_comparison_summary(comparison, flags.top));
  }
  const Diff* const diff = std::get_if<Diff>(&comparison.result);
  if (diff == nullptr) {
    report::Report page = build_comparison_summary(comparison, flags.top);
    page.subtitle =
        fmt::format("{}, compared with {}", comparison.test.path.string(), comparison.baseline.path.string());
    return report::render_html(page);
  }
  auto& [baseline, test, result, value] = comparison;
  AACO_TRY(open_recorded_session(baseline));
  return render_diff_html(*baseline.session, *baseline.analysis, *test.session, *test.analysis, diff_json(*diff));
}

// Writes the document where it belongs; what is printed then.
Result<std::string> deliver(const DiffFlags& flags, const fs::path& folder, const std::string& text) {
  const bool page = flags.format == "html";
  if (flags.output == "-" || (flags.output.empty() && !page)) {
    return flags.format == "text" ? text + fmt::format("\ncomparison  {}\n", folder.string()) : text;
  }
  const fs::path target = flags.output.empty() ? folder / kDiffPage : fs::path(flags.output);
  AACO_TRY(write_file_atomically(target, text));
  return target.string() + "\n";
}

// A recorded run names its files: where these are others today, what runs again is not what was recorded, and both
// sides may have become the same. Threads, precision and machine may be others: those the comparison itself sees.
Result<void> check_rerun(const DiffFlags& flags, const ComparedSession& recorded, const fs::path& again,
                         const char* side) {
  AACO_ASSIGN(const ComparedSession now, load_session(nullptr, flags.sessions_folder, again.string()));
  const SampleConfiguration& before = recorded.samples.front().sample.configuration;
  const SampleConfiguration& after = now.samples.front().sample.configuration;
  std::vector<ConfigurationDifference> differences = work_differences(before.work, after.work);
  if (before.model_sha256 != after.model_sha256) {
    differences.insert(differences.begin(), {"model_sha256", before.model_sha256, after.model_sha256});
  }
  if (differences.empty()) {
    return {};
  }
  const std::string what = fmt::format("what ran again is not the {} that was recorded (recorded / now): {}", side,
                                       difference_list(differences));
  if (flags.allow_different) {
    note("warning: {}\n", printable(what));
    return {};
  }
  return Error{ErrorKind::kInvalid, what,
               "restore the files, or compare the recorded sessions without --rerun; --allow-different compares what "
               "ran again"};
}

// Runs both sides again, their processes alternating, and makes the flags name the two new sessions.
Result<void> rerun(const Kind& kind, DiffFlags& flags) {
  if (kind.rerun == nullptr || kind.run_sample == nullptr || *kind.settled_by != '\0') {
    return Error{ErrorKind::kUsage,
                 fmt::format("sessions of {} are compared as they were recorded", kind.traits.command),
                 fmt::format("leave out --rerun; {}", *kind.settled_by != '\0'
                                                          ? kind.settled_by
                                                          : fmt::format("{} records another", kind.traits.command))};
  }
  AACO_ASSIGN(ComparedSession baseline, load_baseline_or_session(nullptr, flags.sessions_folder, flags.baseline));
  AACO_TRY(open_recorded_session(baseline));
  AACO_ASSIGN(const ComparedSession test, load_session(nullptr, flags.sessions_folder, flags.session));
  ProgressLine progress(flags.quiet);
  AACO_ASSIGN(const auto again,
              kind.rerun(baseline.session->path, test.path, flags.sessions_folder, progress.callback()));
  AACO_TRY(check_rerun(flags, baseline, again.first, "baseline"));
  AACO_TRY(check_rerun(flags, test, again.second, "test"));
  flags.baseline = again.first;
  flags.session = again.second;
  return {};
}

Result<int> diff_recorded(DiffFlags flags) {
  AACO_ASSIGN(const fs::path session, find_session(flags.sessions_folder, flags.session));
  AACO_TRY(expect_no_input(flags.output, recorded_files(session)));
  if (const Result<fs::path> baseline = find_session(flags.sessions_folder, flags.baseline)) {
    AACO_TRY(expect_no_input(flags.output, recorded_files(*baseline)));
  }
  if (flags.rerun) {
    AACO_ASSIGN(const Kind* const kind, kind_of_session(flags.sessions_folder, flags.session));
    AACO_TRY(rerun(*kind, flags));
  }
  AACO_ASSIGN(const DiffOutcome outcome, diff_sessions(flags));
  fmt::print("{}", outcome.text);
  return outcome.exit_code;
}

// Files of samples: there is no session whose verdict would be kept.
Result<int> diff_documents(const DiffFlags& flags, const ComparedPair& pair) {
  if (flags.format == "html") {
    return Error{ErrorKind::kUsage, "a page is made of sessions, not of files", "--format text or json"};
  }
  AACO_ASSIGN(const CompareOptions options, options_of(flags));
  AACO_ASSIGN(const ComparedSession baseline,
              load_baseline_or_session(pair.read, flags.sessions_folder, flags.baseline));
  AACO_ASSIGN(const ComparedSession test, load_baseline_or_session(pair.read, flags.sessions_folder, flags.session));
  AACO_TRY(expect_no_input(flags.output, std::vector<fs::path>{baseline.path, test.path}));
  const PairComparisons comparisons = compare_pairs(baseline.samples, test.samples, options);
  const std::string text =
      flags.format == "json"
          ? indented_json_text(Json(comparisons))
          : report::render_lines(report::build_pair_comparison_report(comparisons, pair.compared_value));
  if (flags.output.empty() || flags.output == "-") {
    fmt::print("{}", text);
  } else {
    AACO_TRY(write_file_atomically(flags.output, text));
  }
  return exit_code_of(comparisons, flags.allow_inconclusive);
}

// Of --min-effect and the like a diff of traces has no use: it counts and adds up, and judges nothing.
Result<int> diff_pair_of_traces(const DiffFlags& flags) {
  if (!flags.judging_flag.empty()) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: {} and {} are traces, which are not judged", flags.judging_flag, flags.baseline,
                             flags.session),
                 "leave it out: a diff of traces says what changed on the device"};
  }
  TraceDiffFlags traces;
  traces.before = flags.baseline;
  traces.after = flags.session;
  traces.format = flags.format;
  traces.output = flags.output.empty() ? "-" : flags.output;
  traces.sessions = flags.sessions_folder;
  traces.top = flags.top.value_or(traces.top);
  const bool is_named = traces.format != "html" || !flags.output.empty();
  traces.output = is_named ? traces.output : "diff.html";
  AACO_ASSIGN(const int exit_code, diff_traces_of(traces, traces.format == "json"));
  if (!is_named) {
    note("the page is {}\n", traces.output);
  }
  return exit_code;
}

Result<int> run_diff(DiffFlags flags) {
  if (flags.first.empty() && flags.baseline.empty()) {
    return Error{ErrorKind::kUsage, "nothing is named to compare with",
                 "aaco diff BEFORE AFTER compares sessions, baselines, traces and files of --output"};
  }
  if (flags.first.empty()) {
    return diff_recorded(std::move(flags));
  }
  flags.baseline = flags.first;
  flags.session = flags.second.empty() ? flags.session : flags.second;
  AACO_ASSIGN(const ComparedPair pair, compared_pair(flags.sessions_folder, flags.baseline, flags.session));
  switch (pair.form) {
    case PairForm::kDocuments:
      return diff_documents(flags, pair);
    case PairForm::kTraces:
      return diff_pair_of_traces(flags);
    case PairForm::kSessions:
      break;
  }
  return diff_recorded(std::move(flags));
}

}  // namespace

Result<DiffOutcome> diff_sessions(const DiffFlags& flags) {
  ComparisonRequest request{flags.sessions_folder, flags.baseline, flags.session, {}};
  AACO_ASSIGN(request.options, options_of(flags));
  DiffOutcome outcome;
  AACO_ASSIGN(outcome.comparison, compare_sessions(request));
  AACO_ASSIGN(const std::string text, document(flags, outcome.comparison));
  outcome.folder = comparison_folder(flags.sessions_folder, outcome.comparison);
  AACO_TRY(write_verdict(outcome.comparison, outcome.folder));
  AACO_ASSIGN(outcome.text, deliver(flags, outcome.folder, text));
  outcome.exit_code = exit_code_of(outcome.comparison, flags.allow_inconclusive);
  return outcome;
}

void add_diff_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("diff", "What changed from one to another: sessions, baselines, traces");
  auto flags = std::make_shared<DiffFlags>();
  command.add_option("--baseline", flags->baseline, "baseline file, or a session").type_name("FILE|ID|DIR");
  command
      .add_option("BEFORE", flags->first,
                  "Session (id, its unique beginning, folder), baseline, trace, folder of traces, or file that "
                  "--output of queue, llama or overlap wrote")
      .type_name("FILE|ID|DIR")
      .excludes("--baseline");
  command.add_option("AFTER", flags->second, "The same of the other side; default: latest").type_name("FILE|ID|DIR");
  command.add_option("--session", flags->session, "id, unique beginning of an id, folder, or \"latest\"")
      .capture_default_str()
      .type_name("ID|DIR");
  command.add_option("--format", flags->format, "text, json (the verdict), or html (a page of both sides)")
      .one_of({"text", "json", "html"})
      .capture_default_str();
  command.add_option("--output", flags->output, "file to write; - is standard output").type_name("FILE").written();
  command.add_option("--top", flags->top, {1}, "Rows of each list that is sorted by the size of a change");
  command.add_option("--min-effect", flags->min_effect_pct, {0, 100}, "smallest change that matters, in percent")
      .capture_default_str()
      .type_name("PCT");
  command
      .add_option("--drift", flags->drift_pct, {0, 1000},
                  fmt::format("how far sessions of the same thing lie apart here, in percent; default: what "
                              "bench/aa.py kept in drift.json of the cache folder, else {:.0f} %, or the spread "
                              "between processes where that is more",
                              100 * kUnmeasuredDrift))
      .type_name("PCT");
  command.add_flag("--allow-inconclusive", flags->allow_inconclusive, "exit 0 instead of 4 when inconclusive");
  command.add_flag("--allow-different", flags->allow_different,
                   "compare runs of different configurations, and name what differs");
  command.add_flag("--rerun", flags->rerun, "run both sides again, their processes alternating, and compare those");
  add_sessions_folder(command, flags->sessions_folder);
  add_tag_flag(command, invocation).needs("--rerun");
  command.rare({"--drift", "--allow-inconclusive", "--baseline", "--session"});
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco diff baselines/resnet50_cpu_b1.json latest\n"
               "  aaco diff 20260101_1200 20260102_1200 --format html\n"
               "  aaco diff before.json.gz after.json.gz\n"
               "Exit codes: 0 equivalent or improved, 1 regressed, 4 inconclusive or invalid.");
  command.callback([flags, command, &invocation] {
    for (const char* flag : {"--min-effect", "--drift", "--rerun", "--allow-different", "--allow-inconclusive"}) {
      flags->judging_flag = command.count(flag) > 0 ? flag : flags->judging_flag;
    }
    flags->format = invocation.json ? "json" : flags->format;
    flags->quiet = invocation.quiet;
    invocation.finish(run_diff(*flags));
  });
}

}  // namespace aaco
