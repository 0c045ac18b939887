// SPDX-License-Identifier: MIT
#include "cli/diff_command.h"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "cli/command/progress_line.h"
#include "cli/llama/study_diff.h"
#include "cli/queue/compare.h"
#include "cli/session_comparer.h"

#include "base/file.h"
#include "base/json.h"
#include "base/json_text.h"
#include "experiment/model_run/run_model.h"
#include "import/compared_run.h"
#include "import/verdict_files.h"
#include "report/diff_report.h"
#include "report/diff_summary.h"
#include "report/pair_comparison_report.h"
#include "report/sinks.h"
#include "session/catalog/catalog.h"
#include "session/layout.h"
#include "session/session_info.h"
#include "verdict/drift.h"
#include "verdict/training_sample.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr const char* kDiffPage = "regress/diff.html";

Result<double> fraction_of(double percent, double limit_pct, const char* flag) {
  if (!(percent >= 0) || !(percent < limit_pct)) {
    return Error{ErrorKind::kUsage, fmt::format("{} {}: not a percentage from 0 to {}", flag, percent, limit_pct),
                 fmt::format("for example {} 2", flag)};
  }
  return percent / 100;
}

Result<CompareOptions> options_of(const DiffFlags& flags, const RunSample& test) {
  CompareOptions options;
  options.allow_different = flags.allow_different;
  AACO_ASSIGN(options.min_effect, fraction_of(flags.min_effect_pct, 100, "--min-effect"));
  if (flags.drift_pct) {
    AACO_ASSIGN(options.drift, fraction_of(*flags.drift_pct, 1000, "--drift"));
    options.drift_source = fmt::format("{:.3g} %, given by --drift", *flags.drift_pct);
    return options;
  }
  AACO_TRY(add_measured_drift(test.environment, options));
  return options;
}

// The document in the asked format.
Result<std::string> document(const DiffFlags& flags, const Diff& diff, imports::ComparedRun& baseline,
                             const imports::ComparedRun& test) {
  if (flags.format == "json") {
    return indented_json_text(verdict_json(diff));
  }
  if (flags.format == "text") {
    return report::render_lines(report::build_diff_summary(diff));
  }
  AACO_TRY(imports::open_recorded_session(baseline));
  return render_diff_html(*baseline.session, *baseline.analysis, *test.session, *test.analysis, diff_json(diff));
}

// Writes the document where it belongs; what is printed then.
Result<std::string> deliver(const DiffFlags& flags, const fs::path& bundle, std::string text) {
  const bool page = flags.format == "html";
  if (flags.output == "-" || (flags.output.empty() && !page)) {
    return text;
  }
  const fs::path target = flags.output.empty() ? bundle / kDiffPage : fs::path(flags.output);
  AACO_TRY(write_file_atomically(target, text));
  return target.string() + "\n";
}

// A recorded run names its files: where these are others today, what runs again is not what was recorded, and both
// sides may have become the same. Threads, precision and machine may be others: those the comparison itself sees.
Result<void> check_rerun(const DiffFlags& flags, const RunSample& recorded, const fs::path& again, const char* side) {
  AACO_ASSIGN(const imports::ComparedRun now, imports::load_session(flags.sessions_folder, again.string()));
  const SampleConfiguration& before = recorded.configuration;
  const SampleConfiguration& after = now.sample.configuration;
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
    fmt::print(stderr, "warning: {}\n", what);
    return {};
  }
  return Error{ErrorKind::kInvalid, what,
               "restore the files, or compare the recorded sessions without --rerun; --allow-different compares what "
               "ran again"};
}

// Runs both sides again, their processes alternating, and makes the flags name the two new sessions.
Result<void> rerun(DiffFlags& flags) {
  AACO_ASSIGN(imports::ComparedRun baseline, imports::load_baseline_or_session(flags.sessions_folder, flags.baseline));
  AACO_TRY(imports::open_recorded_session(baseline));
  AACO_ASSIGN(const imports::ComparedRun test, imports::load_session(flags.sessions_folder, flags.session));
  AACO_ASSIGN(RunRequest a, recorded_request(baseline.session->path));
  AACO_ASSIGN(RunRequest b, recorded_request(test.session->path));
  a.sessions = b.sessions = flags.sessions_folder;
  ProgressLine progress(flags.quiet);
  AACO_ASSIGN(const auto outcomes, run_interleaved(a, b, progress.callback()));
  AACO_TRY(check_rerun(flags, baseline.sample, outcomes.first.bundle, "baseline"));
  AACO_TRY(check_rerun(flags, test.sample, outcomes.second.bundle, "test"));
  flags.baseline = outcomes.first.bundle;
  flags.session = outcomes.second.bundle;
  return {};
}

}  // namespace

Result<CompareOptions> compare_options_of(const DiffFlags& flags, const fs::path& test_session) {
  RunSample test;
  if (!flags.drift_pct) {
    AACO_ASSIGN(Json environment, read_json(test_session / layout::kEnvironment));
    test.environment = JsonValue(std::move(environment));
  }
  return options_of(flags, test);
}

Result<int> compare_as_queues(const DiffFlags& flags) {
  if (flags.rerun || flags.format == "html" || !flags.output.empty()) {
    return Error{ErrorKind::kUsage, "sessions of aaco queue are compared as text or JSON, as they were recorded",
                 "leave out --rerun, --output and --format html; aaco report shows each session"};
  }
  QueueCompareRequest request;
  request.sessions = flags.sessions_folder;
  request.baseline = flags.baseline;
  request.test = flags.session;
  AACO_ASSIGN(request.options, options_of(flags, RunSample()));
  request.allow_inconclusive = flags.allow_inconclusive;
  request.json = flags.format == "json";
  return compare_queue_documents(request);
}

Result<int> compare_as_studies(const DiffFlags& flags) {
  if (flags.rerun || flags.format == "html" || !flags.output.empty()) {
    return Error{ErrorKind::kUsage, "studies of aaco llama are compared as text or JSON, as they were recorded",
                 "leave out --rerun, --output and --format html; aaco report shows each session"};
  }
  StudyDiffRequest request{flags.sessions_folder, flags.baseline, flags.session, {}, flags.drift_pct.has_value()};
  AACO_ASSIGN(request.options, options_of(flags, RunSample()));
  AACO_ASSIGN(const PairComparisons comparisons, diff_studies(request));
  fmt::print("{}", flags.format == "json"
                       ? indented_json_text(Json(comparisons))
                       : report::render_lines(report::build_pair_comparison_report(comparisons, "step")));
  return exit_code_of(comparisons, flags.allow_inconclusive);
}

Result<int> compare_as_runs(const DiffFlags& given) {
  DiffFlags flags = given;
  if (flags.rerun) {
    AACO_TRY(rerun(flags));
  }
  AACO_ASSIGN(const DiffOutcome outcome, diff_sessions(flags));
  fmt::print("{}", outcome.text);
  return outcome.exit_code;
}

namespace {

// Of a session of that kind that was recorded to its end; none of anything else, which the comparison itself names.
Result<std::optional<TrainingRunDocument>> training_of(const std::string& sessions, const std::string& name) {
  std::error_code ignored;
  if (fs::is_regular_file(name, ignored)) {
    return std::optional<TrainingRunDocument>();
  }
  AACO_ASSIGN(const fs::path path, find_session(sessions, name));
  AACO_ASSIGN(const SessionInfo info, read_session_info(path));
  if (!(info.kind == SessionKind(session_kind::kTraining)) || info.status != SessionStatus::kComplete) {
    return std::optional<TrainingRunDocument>();
  }
  AACO_ASSIGN(TrainingRunDocument document, imports::load_training(path));
  return std::optional(std::move(document));
}

}  // namespace

Result<int> compare_as_trainings(const DiffFlags& flags) {
  if (flags.rerun) {
    return Error{ErrorKind::kUsage, "sessions of aaco llama are compared as they were recorded",
                 "leave out --rerun; aaco llama run records another"};
  }
  AACO_ASSIGN(const auto baseline, training_of(flags.sessions_folder, flags.baseline));
  AACO_ASSIGN(const auto test, training_of(flags.sessions_folder, flags.session));
  const std::string difference = baseline && test ? loss_difference(*baseline, *test) : "";
  if (!difference.empty()) {
    return Error{ErrorKind::kInvalid, difference + ": they did not train alike, so that their speeds compare nothing",
                 "aaco report shows the losses of each"};
  }
  return compare_as_runs(flags);
}

namespace {

// As the session is compared, so is what it is compared with, or refused.
Result<int> run_diff(const DiffFlags& flags) {
  AACO_ASSIGN(const fs::path session, find_session(flags.sessions_folder, flags.session));
  AACO_ASSIGN(const SessionInfo info, read_session_info(session));
  const SessionComparer* comparer = session_comparer(info.kind);
  return comparer == nullptr ? unknown_kind(session, info.kind) : comparer->diff(flags);
}

}  // namespace

Result<DiffOutcome> diff_sessions(const DiffFlags& flags) {
  AACO_ASSIGN(imports::ComparedRun baseline, imports::load_baseline_or_session(flags.sessions_folder, flags.baseline));
  AACO_ASSIGN(const imports::ComparedRun test, imports::load_session(flags.sessions_folder, flags.session));
  if (baseline.sample.session_id == test.sample.session_id) {
    return Error{ErrorKind::kUsage, "both sides are session " + test.sample.session_id,
                 "record another session with aaco run, and give it to --session"};
  }
  AACO_ASSIGN(const CompareOptions options, options_of(flags, test.sample));
  DiffOutcome outcome;
  outcome.diff = diff_runs(baseline.sample, test.sample, options);
  AACO_ASSIGN(std::string text, document(flags, outcome.diff, baseline, test));
  const fs::path& bundle = test.session->path;
  AACO_TRY(imports::write_verdict_files(bundle, outcome.diff, baseline.reference));
  AACO_ASSIGN(outcome.text, deliver(flags, bundle, std::move(text)));
  outcome.exit_code = exit_code_of(outcome.diff.comparison.verdict, flags.allow_inconclusive);
  return outcome;
}

void add_diff_command(cli::Command app, Invocation& invocation) {
  cli::Command command = app.add_subcommand("diff", "Did a session become slower than a baseline, and why");
  auto flags = std::make_shared<DiffFlags>();
  command.add_option("--baseline", flags->baseline, "baseline file, or a session").required().type_name("FILE|ID|DIR");
  command.add_option("--session", flags->session, "id, unique beginning of an id, folder, or \"latest\"")
      .capture_default_str()
      .type_name("ID|DIR");
  command.add_option("--format", flags->format, "text, json (the verdict), or html (both sides, into the bundle)")
      .one_of({"text", "json", "html"})
      .capture_default_str();
  command.add_option("--output", flags->output, "file to write; - is standard output").type_name("FILE");
  command.add_option("--min-effect", flags->min_effect_pct, "smallest change that matters, in percent")
      .capture_default_str()
      .type_name("PCT");
  command
      .add_option("--drift", flags->drift_pct,
                  "how far sessions of the same thing lie apart here, in percent; "
                  "default: as bench/aa measured it, else the spread between processes")
      .type_name("PCT");
  command.add_flag("--allow-inconclusive", flags->allow_inconclusive, "exit 0 instead of 4 when inconclusive");
  command.add_flag("--allow-different", flags->allow_different,
                   "compare runs of different configurations, and name what differs");
  command.add_flag("--rerun", flags->rerun, "run both sides again, their processes alternating, and compare those");
  add_sessions_folder(command, flags->sessions_folder);
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco diff --baseline baselines/resnet50_cpu_b1.json --session latest\n"
               "  aaco diff --baseline 20260101_1200 --session 20260102_1200 --format html\n"
               "Exit codes: 0 equivalent or improved, 1 regressed, 4 inconclusive or invalid.");
  command.callback([flags, &invocation] {
    flags->format = invocation.json ? "json" : flags->format;
    flags->quiet = invocation.quiet;
    invocation.finish(run_diff(*flags));
  });
}

}  // namespace aaco
