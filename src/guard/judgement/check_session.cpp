// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/statistics.h"
#include "guard/judgement/check_request.h"
#include "guard/judgement/clock_or_code.h"
#include "guard/judgement/same_software.h"
#include "guard/sequential/looks.h"
#include "guard/subject/guarded_session.h"
#include "kind/session_comparison.h"
#include "session/bundle/latest_link.h"
#include "session/bundle/layout.h"
#include "session/session_tags.h"
#include "verdict/diff.h"
#include "verdict/drift.h"
#include "verdict/identity/machine_difference.h"
#include "verdict/pair_comparisons.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPairGroup = "guard";
constexpr double kBudgetShare = 0.9;

void add_values(const NamedSample& baseline, const NamedSample& test, JudgedSample& sample) {
  sample.baseline_value = median(baseline.sample.process_medians_ns);
  sample.test_value = median(test.sample.process_medians_ns);
}

JudgedSample judge_run(const NamedSample& baseline, const NamedSample& test, const CompareOptions& options) {
  NamedSample alike = test;
  expect_same_training(baseline, alike);
  JudgedSample sample;
  sample.name = test.name;
  const Diff diff = diff_runs(baseline.sample, std::move(alike.sample), options);
  sample.comparison = diff.comparison;
  const bool changed = diff.comparison.verdict == Verdict::kRegressed || diff.comparison.verdict == Verdict::kImproved;
  sample.cause = changed && diff.attribution ? diff.cause.reason : "";
  add_values(baseline, test, sample);
  judge_clock(recorded_clock(baseline.sample, test.sample), options, sample);
  return sample;
}

std::vector<JudgedSample> judge_pairs(const std::vector<NamedSample>& baseline, const std::vector<NamedSample>& test,
                                      const CompareOptions& options) {
  std::vector<JudgedSample> samples;
  PairComparisons compared = compare_pairs(baseline, test, options);
  for (PairComparison& pair : compared.pairs) {
    JudgedSample& sample = samples.emplace_back();
    sample.name = pair.configuration;
    sample.comparison = std::move(pair.comparison);
    const auto named = [&](const NamedSample& candidate) { return candidate.name == sample.name; };
    const auto a = std::ranges::find_if(baseline, named);
    const auto b = std::ranges::find_if(test, named);
    if (a != baseline.end() && b != test.end()) {
      add_values(*a, *b, sample);
      judge_clock(recorded_clock(a->sample, b->sample), options, sample);
    }
  }
  // As of a sweep that was cut short: what is left of it is not all that was asked for.
  add_one_sided(compared.unpaired, "Measure the same members on both sides; aaco guard record keeps a new baseline.",
                samples);
  return samples;
}

bool is_on_gpu(const std::vector<NamedSample>& samples) {
  return std::ranges::any_of(samples, [](const NamedSample& named) {
    const std::string& backend = named.sample.configuration.backend;
    return named.sample.device_kind == DeviceKind::kGpu || (!backend.empty() && !backend.starts_with("cpu"));
  });
}

// Said once for all samples, and before they are paired: of another machine not even a sample that one side alone has
// is a finding. None where both sides had one machine.
std::optional<JudgedSample> other_machine(const Json& environment, const std::vector<NamedSample>& baseline,
                                          const ComparedSession& test) {
  JudgedSample sample;
  Comparison& comparison = sample.comparison;
  comparison.machine_differences =
      machine_differences(environment, test.environment, is_on_gpu(baseline) && is_on_gpu(test.samples));
  if (comparison.machine_differences.empty()) {
    return std::nullopt;
  }
  comparison.verdict = Verdict::kInvalid;
  comparison.reason = "the two were not measured on the same machine (baseline / test): " +
                      difference_list(comparison.machine_differences);
  comparison.remedy = "Measure both sides on one machine.";
  return sample;
}

const NamedSample* sample_named(const std::vector<NamedSample>& samples, const std::string& name) {
  const auto sample = std::ranges::find(samples, name, &NamedSample::name);
  return sample == samples.end() ? nullptr : &*sample;
}

// The mean over processes: a clock of the first session alone is not that at which the others ran. None where a session
// that has processes did not record its clock.
std::optional<double> pooled_clock(const RunSample& sample, const RunSample& added) {
  if (sample.process_medians_ns.empty() || added.process_medians_ns.empty()) {
    return added.process_medians_ns.empty() ? sample.cpu_frequency_mhz : added.cpu_frequency_mhz;
  }
  const auto before = static_cast<double>(sample.process_medians_ns.size());
  const auto more = static_cast<double>(added.process_medians_ns.size());
  if (!sample.cpu_frequency_mhz || !added.cpu_frequency_mhz) {
    return std::nullopt;
  }
  return (*sample.cpu_frequency_mhz * before + *added.cpu_frequency_mhz * more) / (before + more);
}

// The processes of one more interleaved session of this side.
void pool(const RunSample& added, RunSample& sample) {
  sample.cpu_frequency_mhz = pooled_clock(sample, added);
  std::ranges::copy(added.process_medians_ns, std::back_inserter(sample.process_medians_ns));
  std::ranges::copy(added.processes, std::back_inserter(sample.processes));
  sample.stationary_processes += added.stationary_processes;
  sample.iterations += added.iterations;
  sample.outputs_finite = sample.outputs_finite && added.outputs_finite;
  if (added.throttled_share.value_or(0) > sample.throttled_share.value_or(0)) {
    sample.throttled_share = added.throttled_share;
    sample.throttled_words = added.throttled_words;
  }
  if (added.others_share.value_or(0) > sample.others_share.value_or(0)) {
    sample.others_share = added.others_share;
  }
  if (added.status != SessionStatus::kComplete) {
    sample.status = added.status;
    sample.status_reason = added.status_reason;
  }
}

// Of all samples of a session.
void pool(const std::vector<NamedSample>& more, std::vector<NamedSample>& all) {
  for (const NamedSample& added : more) {
    const auto same = std::ranges::find(all, added.name, &NamedSample::name);
    if (same == all.end()) {
      all.push_back(added);
      all.back().sample.interleave_group = kPairGroup;
    } else {
      pool(added.sample, same->sample);
    }
  }
}

// Sessions of both sides that run in turns, again and again.
class InterleavedSessions {
 public:
  InterleavedSessions(const CheckRequest& request, const GuardedSession& guarded, fs::path baseline)
      : request_(request),
        rerun_(guarded.kind->rerun),
        read_(guarded.is_run ? nullptr : guarded.kind->samples),
        baseline_path_(std::move(baseline)),
        test_path_(guarded.session.path) {}

  // Until there are so many pairs; false where the budget would not hold one more session of each.
  Result<bool> measure(int64_t pairs, int64_t end_ns) {
    while (this->pairs() < pairs) {
      if (monotonic_ns() + longest_ns_ >= end_ns) {
        return false;
      }
      const int64_t start_ns = monotonic_ns();
      // Baseline first, then test first: what drifts falls on both alike, also where a session is one process.
      const bool test_first = test_first_;
      test_first_ = !test_first_;
      AACO_ASSIGN(const auto bundles,
                  rerun_(test_first ? test_path_ : baseline_path_, test_first ? baseline_path_ : test_path_,
                         request_.sessions, [](const auto&...) {}));
      AACO_TRY(add(bundles.first, test_first ? test_ : baseline_));
      AACO_TRY(add(bundles.second, test_first ? baseline_ : test_));
      longest_ns_ = std::max(longest_ns_, monotonic_ns() - start_ns);
    }
    return true;
  }
  // Of the sample that has most: a sweep's member that failed has none.
  int64_t pairs() const {
    size_t most = 0;
    for (const NamedSample& named : test_) {
      most = std::max(most, named.sample.process_medians_ns.size());
    }
    return static_cast<int64_t>(most);
  }
  int64_t longest_ns() const { return longest_ns_; }
  const std::vector<NamedSample>& baseline() const { return baseline_; }
  const std::vector<NamedSample>& test() const { return test_; }

 private:
  Result<void> add(const fs::path& bundle, std::vector<NamedSample>& side) const {
    AACO_ASSIGN(const ComparedSession session, load_session(read_, request_.sessions, bundle.string()));
    pool(session.samples, side);
    return {};
  }

  const CheckRequest& request_;
  Rerun rerun_;
  SampleFunction read_;
  fs::path baseline_path_;
  fs::path test_path_;
  std::vector<NamedSample> baseline_;
  std::vector<NamedSample> test_;
  bool test_first_ = false;
  int64_t longest_ns_ = 0;
};

// What runs again must be what was recorded: both sides may have become the same.
std::string why_others(const std::vector<NamedSample>& recorded, const std::vector<NamedSample>& again,
                       const char* side) {
  for (const NamedSample& now : again) {
    const NamedSample* const before = sample_named(recorded, now.name);
    const std::vector<ConfigurationDifference> differences =
        before == nullptr ? std::vector<ConfigurationDifference>()
                          : configuration_differences(before->sample.configuration, now.sample.configuration);
    if (before == nullptr || !differences.empty()) {
      return fmt::format("what ran again is not the {} that was recorded (recorded / now): {}", side,
                         before == nullptr ? "nothing / " + now.name : difference_list(differences));
    }
  }
  return "";
}

Result<void> measure_again(const CheckRequest& request, const GuardedSession& guarded,
                           const std::vector<NamedSample>& recorded_baseline, GuardAnswer& answer) {
  const ComparedSession& test = guarded.session;
  const int64_t start_ns = monotonic_ns();
  const int64_t end_ns = start_ns + request.budget_ns;
  // They are nobody's newest session, and a next check of `latest` must not be of one of them.
  const KeptLatestLink latest(request.sessions);
  static const std::vector<std::string> kTags{"guard"};
  const TagsOfNewSessions tags(kTags);
  InterleavedSessions both(request, guarded, answer.baseline->session_path);
  if (request.progress) {
    request.progress("both sides run again, in turns");
  }
  const NotAgain over{"the budget is over", "give --budget more time"};
  AACO_ASSIGN(const bool measured, both.measure(1, end_ns));
  if (!measured) {
    mark_unconfirmed(request, over, answer);
    return {};
  }
  for (const std::string& why :
       {why_others(recorded_baseline, both.baseline(), "baseline"), why_others(test.samples, both.test(), "test")}) {
    if (!why.empty()) {
      mark_unconfirmed(request, {why, "restore what differs, or record both sides again"}, answer);
      return {};
    }
  }
  const int64_t batch = both.pairs();
  const auto left = static_cast<double>(end_ns - monotonic_ns()) * kBudgetShare;
  const auto more = static_cast<int64_t>(left / static_cast<double>(std::max<int64_t>(1, both.longest_ns())));
  // The first session of each side was measured to plan, and counts: its times are not looked at before.
  const std::vector<Look> looks = plan_looks(std::clamp(batch * (1 + more), batch, std::max(batch, kMostPairs)),
                                             kVerdictLevel, (1 - kEquivalenceConfidence) / 2, batch);
  CompareOptions options;
  options.min_effect = request.min_effect;
  const auto decide = [&](const Look& look) -> Result<bool> {
    options.level = look.level;
    options.equivalence_confidence = 1 - 2 * look.equivalence_level;
    answer.samples = guarded.is_run ? std::vector{judge_run(both.baseline().front(), both.test().front(), options)}
                                    : judge_pairs(both.baseline(), both.test(), options);
    answer.measured_again = true;
    return std::ranges::none_of(answer.samples, [](const JudgedSample& sample) {
      return !sample.is_one_sided && sample.comparison.verdict == Verdict::kInconclusive;
    });
  };
  AACO_ASSIGN(const LooksEnd end,
              look_until_decided(looks, [&](int64_t pairs) { return both.measure(pairs, end_ns); }, decide));
  answer.pairs = both.pairs();
  answer.looks = end.looks;
  answer.seconds = static_cast<double>(monotonic_ns() - start_ns) / 1e9;
  for (JudgedSample& sample : answer.samples) {
    advise_on_pairs(sample.comparison);
  }
  if (!answer.measured_again) {
    mark_unconfirmed(request, over, answer);
  }
  return {};
}

void name_figures(const Kind& kind, GuardAnswer& answer) {
  for (JudgedSample& sample : answer.samples) {
    sample.figure = kind.is_per_unit ? kind.compared_value : sample.figure;
  }
}

bool needs_more(const GuardAnswer& answer) {
  return std::ranges::any_of(answer.samples, [](const JudgedSample& sample) {
    const Verdict verdict = sample.comparison.verdict;
    return !sample.is_one_sided && (verdict == Verdict::kRegressed || verdict == Verdict::kInconclusive);
  });
}

// Nothing where they can be.
NotAgain why_not_again(const Kind& kind, const std::vector<NamedSample>& baseline, const ComparedSession& test,
                       const GuardAnswer& answer) {
  if (kind.rerun == nullptr) {
    return {fmt::format("sessions of {} are not run again by aaco{}{}", kind.traits.command,
                        *kind.settled_by == '\0' ? "" : ": ", kind.settled_by),
            "record both sides again, several times"};
  }
  std::error_code ignored;
  if (!fs::exists(fs::path(answer.baseline->session_path) / layout::kSession, ignored)) {
    return {fmt::format("the baseline's session {} is not there any more", answer.baseline->session_path),
            "restore it, or record the baseline again"};
  }
  // The lockbox is one for all samples; a run's is in its sample.
  const Json& before = *baseline.front().sample.environment;
  const Result<JsonValue> kept = recorded_environment(*answer.baseline);
  const std::string other_software = why_other_software(*answer.baseline, before.is_object() || !kept ? before : **kept,
                                                        answer.test, *test.environment);
  return {other_software, "record the baseline again with the software of today"};
}

}  // namespace

Result<CheckEnd> check_session(const CheckRequest& request, const std::string& session) {
  AACO_ASSIGN(const GuardedSession guarded, load_guarded_session(request.sessions, session));
  const ComparedSession& test = guarded.session;
  const GuardStore store = GuardStore::for_reading(request.store);
  CheckEnd end;
  end.entry = session_entry(test, request.labels);
  GuardAnswer& answer = end.answer;
  answer.test = end.entry.record;
  answer.min_effect = request.min_effect;
  AACO_TRY(choose_baseline(store, answer.test, answer));
  if (!answer.baseline) {
    return end;
  }
  AACO_ASSIGN(const std::vector<NamedSample> baseline, recorded_samples(*answer.baseline));
  CompareOptions options;
  options.min_effect = request.min_effect;
  AACO_TRY(add_measured_drift(test.environment, options));
  if (guarded.is_run) {
    answer.samples.push_back(judge_run(baseline.front(), test.samples.front(), options));
  } else {
    AACO_ASSIGN(const JsonValue environment, recorded_environment(*answer.baseline));
    if (const std::optional<JudgedSample> other = other_machine(environment, baseline, test)) {
      answer.samples.push_back(*other);
      return end;
    }
    answer.samples = judge_pairs(baseline, test.samples, options);
  }
  name_figures(*guarded.kind, answer);
  if (!needs_more(answer)) {
    return end;
  }
  if (const NotAgain reason = why_not_again(*guarded.kind, baseline, test, answer); !reason.why.empty()) {
    mark_unconfirmed(request, reason, answer);
    return end;
  }
  const std::vector<JudgedSample> recorded = answer.samples;
  Result<void> measured = measure_again(request, guarded, baseline, answer);
  keep_found_slower(recorded, answer);
  name_figures(*guarded.kind, answer);
  // What measuring again takes is not there: the recordings' verdict stays, as it is.
  if (!measured && measured.error().kind == ErrorKind::kUnavailable && !answer.measured_again) {
    mark_unconfirmed(request, {measured.error().message, measured.error().hint}, answer);
    return end;
  }
  AACO_TRY(std::move(measured));
  return end;
}

}  // namespace aaco
