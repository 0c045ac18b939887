// SPDX-License-Identifier: MIT
#include "kind/session_comparison.h"

#include <fmt/format.h>
#include <utility>

#include "analysis/host/off_cpu_means.h"
#include "base/json/json.h"
#include "report/diff_summary.h"
#include "report/host/off_cpu_change.h"
#include "report/pair_comparison_report.h"
#include "verdict/drift.h"
#include "verdict/verdict_files.h"

namespace aaco {

namespace {

// Of a run that was recorded with the kernel plane.
std::optional<OffCpuMeans> means_of(const ComparedSession& side) {
  return side.session ? off_cpu_means(side.session->recording) : std::nullopt;
}

using Judgement = std::variant<Diff, PairComparisons>;

Judgement judge(SampleFunction read, const ComparedSession& baseline, const ComparedSession& test,
                const CompareOptions& options) {
  if (read == nullptr) {
    NamedSample named = test.samples.front();
    expect_same_training(baseline.samples.front(), named);
    return diff_runs(baseline.samples.front().sample, std::move(named.sample), options);
  }
  return compare_pairs(baseline.samples, test.samples, options);
}

}  // namespace

Result<SessionComparison> compare_sessions(const ComparisonRequest& request) {
  AACO_ASSIGN(const Kind* const kind, kind_of_session(request.sessions, request.test));
  AACO_TRY(expect_compared(*kind));
  const SampleFunction read = sample_function(*kind);
  SessionComparison comparison;
  comparison.compared_value = kind->compared_value;
  AACO_ASSIGN(comparison.baseline, load_baseline_or_session(read, request.sessions, request.baseline));
  AACO_ASSIGN(comparison.test, load_session(read, request.sessions, request.test));
  if (comparison.baseline.session_id == comparison.test.session_id) {
    return Error{ErrorKind::kUsage, "both sides are session " + comparison.test.session_id,
                 fmt::format("record another session with {}, and give it to --session", kind->traits.command)};
  }
  CompareOptions options = request.options;
  if (options.drift_source.empty()) {
    AACO_TRY(add_measured_drift(comparison.test.environment, options));
  }
  comparison.result = judge(read, comparison.baseline, comparison.test, options);
  if (Diff* const diff = std::get_if<Diff>(&comparison.result);
      diff != nullptr && diff->comparison.verdict == Verdict::kInconclusive && *kind->settled_by != '\0') {
    diff->cause.recommendation = kind->settled_by;
  }
  return comparison;
}

Json verdict_json(const SessionComparison& comparison) {
  const Diff* const diff = std::get_if<Diff>(&comparison.result);
  return diff != nullptr ? verdict_json(*diff) : Json(std::get<PairComparisons>(comparison.result));
}

report::Report build_comparison_summary(const SessionComparison& comparison, std::optional<size_t> top) {
  const Diff* const diff = std::get_if<Diff>(&comparison.result);
  report::Report summary = diff != nullptr
                               ? report::build_diff_summary(*diff, top.value_or(report::kMostNodes))
                               : report::build_pair_comparison_report(std::get<PairComparisons>(comparison.result),
                                                                      comparison.compared_value);
  if (auto off_cpu = report::off_cpu_change_section(means_of(comparison.baseline), means_of(comparison.test))) {
    summary.sections.push_back(std::move(*off_cpu));
  }
  return summary;
}

int exit_code_of(const SessionComparison& comparison, bool allow_inconclusive) {
  const Diff* const diff = std::get_if<Diff>(&comparison.result);
  return diff != nullptr ? exit_code_of(diff->comparison.verdict, allow_inconclusive)
                         : exit_code_of(std::get<PairComparisons>(comparison.result), allow_inconclusive);
}

std::filesystem::path comparison_folder(const std::string& sessions, const SessionComparison& comparison) {
  return std::filesystem::path(sessions) / kComparisons /
         fmt::format("{}_to_{}", comparison.baseline.session_id, comparison.test.session_id);
}

Result<void> write_verdict(const SessionComparison& comparison, const std::filesystem::path& folder) {
  const Diff* const diff = std::get_if<Diff>(&comparison.result);
  return imports::write_verdict_files(folder, comparison.baseline.reference,
                                      diff != nullptr ? diff_json(*diff) : Json(), verdict_json(comparison));
}

}  // namespace aaco
