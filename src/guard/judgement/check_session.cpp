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
#include "guard/sequential/looks.h"
#include "guard/subject/guarded_session.h"
#include "kind/session_comparison.h"
#include "session/bundle/layout.h"
#include "verdict/diff.h"
#include "verdict/drift.h"
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
  say_in_guards_words(sample.comparison);
  const bool changed = diff.comparison.verdict == Verdict::kRegressed || diff.comparison.verdict == Verdict::kImproved;
  sample.cause = changed && diff.attribution ? diff.cause.reason : "";
  add_values(baseline, test, sample);
  judge_clock(recorded_clock(baseline.sample, test.sample), options, sample);
  return sample;
}

std::vector<JudgedSample> judge_pairs(const std::vector<NamedSample>& baseline, const std::vector<NamedSample>& test,
                                      const CompareOptions& options) {
  std::vector<JudgedSample> samples;
  for (PairComparison& pair : compare_pairs(baseline, test, options).pairs) {
    JudgedSample& sample = samples.emplace_back();
    sample.name = pair.configuration;
    sample.comparison = std::move(pair.comparison);
    say_in_guards_words(sample.comparison);
    const auto named = [&](const NamedSample& candidate) { return candidate.name == sample.name; };
    const auto a = std::ranges::find_if(baseline, named);
    const auto b = std::ranges::find_if(test, named);
    if (a != baseline.end() && b != test.end()) {
      add_values(*a, *b, sample);
      judge_clock(recorded_clock(a->sample, b->sample), options, sample);
    }
  }
  return samples;
}

// The processes of one more interleaved session of this side.
void pool(const NamedSample& more, std::optional<NamedSample>& all) {
  if (!all) {
    all = more;
    all->sample.interleave_group = kPairGroup;
    return;
  }
  RunSample& sample = all->sample;
  const RunSample& added = more.sample;
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

// Sessions of both sides that run in turns, again and again.
class InterleavedSessions {
 public:
  InterleavedSessions(const CheckRequest& request, Rerun rerun, fs::path baseline, fs::path test)
      : request_(request), rerun_(rerun), baseline_path_(std::move(baseline)), test_path_(std::move(test)) {}

  // Until there are so many pairs; false where the budget would not hold one more session of each.
  Result<bool> measure(int64_t pairs, int64_t end_ns) {
    while (this->pairs() < pairs) {
      if (monotonic_ns() + longest_ns_ >= end_ns) {
        return false;
      }
      const int64_t start_ns = monotonic_ns();
      AACO_ASSIGN(const auto bundles, rerun_(baseline_path_, test_path_, request_.sessions, [](const auto&...) {}));
      AACO_ASSIGN(const ComparedSession baseline, load_session(nullptr, request_.sessions, bundles.first.string()));
      AACO_ASSIGN(const ComparedSession test, load_session(nullptr, request_.sessions, bundles.second.string()));
      pool(baseline.samples.front(), baseline_);
      pool(test.samples.front(), test_);
      longest_ns_ = std::max(longest_ns_, monotonic_ns() - start_ns);
    }
    return true;
  }
  int64_t pairs() const { return test_ ? static_cast<int64_t>(test_->sample.process_medians_ns.size()) : 0; }
  int64_t longest_ns() const { return longest_ns_; }
  const NamedSample& baseline() const { return *baseline_; }
  const NamedSample& test() const { return *test_; }

 private:
  const CheckRequest& request_;
  Rerun rerun_;
  fs::path baseline_path_;
  fs::path test_path_;
  std::optional<NamedSample> baseline_;
  std::optional<NamedSample> test_;
  int64_t longest_ns_ = 0;
};

// What runs again must be what was recorded: both sides may have become the same.
std::string why_others(const NamedSample& recorded, const NamedSample& again, const char* side) {
  const SampleConfiguration& before = recorded.sample.configuration;
  const SampleConfiguration& after = again.sample.configuration;
  std::vector<ConfigurationDifference> differences = work_differences(before.work, after.work);
  if (before.model_sha256 != after.model_sha256) {
    differences.push_back({"model_sha256", before.model_sha256, after.model_sha256});
  }
  return differences.empty() ? ""
                             : fmt::format("what ran again is not the {} that was recorded (recorded / now): {}", side,
                                           difference_list(differences));
}

Result<void> measure_again(const CheckRequest& request, const Kind& kind, const ComparedSession& test,
                           const NamedSample& recorded_baseline, GuardAnswer& answer) {
  const int64_t start_ns = monotonic_ns();
  const int64_t end_ns = start_ns + request.budget_ns;
  InterleavedSessions both(request, kind.rerun, answer.baseline->session_path, test.path);
  if (request.progress) {
    request.progress("both sides run again, in turns");
  }
  AACO_ASSIGN(const bool measured, both.measure(1, end_ns));
  if (!measured) {
    mark_unconfirmed(request, "the budget is over", answer);
    return {};
  }
  for (const std::string& why : {why_others(recorded_baseline, both.baseline(), "baseline"),
                                 why_others(test.samples.front(), both.test(), "test")}) {
    if (!why.empty()) {
      mark_unconfirmed(request, why, answer);
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
    answer.samples.assign(1, judge_run(both.baseline(), both.test(), options));
    answer.measured_again = true;
    return answer.samples.front().comparison.verdict != Verdict::kInconclusive;
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
    mark_unconfirmed(request, "the budget is over", answer);
  }
  return {};
}

bool needs_more(const GuardAnswer& answer) {
  return std::ranges::any_of(answer.samples, [](const JudgedSample& sample) {
    return sample.comparison.verdict == Verdict::kRegressed || sample.comparison.verdict == Verdict::kInconclusive;
  });
}

std::string why_not_again(const Kind& kind, const GuardAnswer& answer) {
  if (kind.rerun == nullptr) {
    return fmt::format("sessions of {} are not run again by aaco", kind.traits.command);
  }
  std::error_code ignored;
  if (!fs::exists(fs::path(answer.baseline->session_path) / layout::kSession, ignored)) {
    return fmt::format("the baseline's session {} is not there any more", answer.baseline->session_path);
  }
  return "";
}

}  // namespace

Result<CheckEnd> check_session(const CheckRequest& request, const std::string& session) {
  AACO_ASSIGN(const GuardedSession guarded, load_guarded_session(request.sessions, session));
  const ComparedSession& test = guarded.session;
  AACO_ASSIGN(const GuardStore store, GuardStore::open(request.store));
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
    answer.samples = judge_pairs(baseline, test.samples, options);
  }
  if (!needs_more(answer)) {
    return end;
  }
  if (const std::string why = why_not_again(*guarded.kind, answer); !why.empty()) {
    mark_unconfirmed(request, why, answer);
    return end;
  }
  AACO_TRY(measure_again(request, *guarded.kind, test, baseline.front(), answer));
  return end;
}

}  // namespace aaco
