// SPDX-License-Identifier: MIT
#include "guard/judgement/check_request.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/format.h"

namespace aaco {

namespace {

// Of a subject whose sizes change from recording to recording, those of other sizes are no baseline.
constexpr size_t kMostTried = 50;

bool did_same_work(const std::vector<NamedSample>& baseline, const std::vector<NamedSample>& test) {
  return std::ranges::any_of(test, [&](const NamedSample& sample) {
    return std::ranges::any_of(baseline, [&](const NamedSample& other) {
      return other.name == sample.name &&
             configuration_differences(other.sample.configuration, sample.sample.configuration).empty();
    });
  });
}

// `refused`: the newest that is not valid; null where there is none. `is_recorded`: the history holds the test itself.
std::string missing_baseline(const GuardStore& store, const GuardRecord& test, const GuardRecord* refused,
                             bool is_recorded) {
  if (refused != nullptr) {
    return fmt::format("no valid baseline of {}: of the newest, {}", test.place.subject, refused->reason);
  }
  if (const Result<void> history = store.expect_history(); !history) {
    return fmt::format("no baseline of {}: {}: {}", test.place.subject, history.error().message, history.error().hint);
  }
  const std::string place =
      fmt::format("{} on {} in {}", test.place.subject, test.place.machine, store.folder().string());
  return is_recorded ? fmt::format(
                           "no baseline: session {} is itself the only recording of {}; measure again, and "
                           "check the new session",
                           test.session_id, place)
                     : fmt::format("no baseline of {}: aaco guard record keeps one", place);
}

}  // namespace

Result<void> choose_baseline(const GuardStore& store, const GuardRecord& test, GuardAnswer& answer) {
  AACO_ASSIGN(const std::vector<GuardRecord> records, store.records(test.place, answer.damaged));
  AACO_ASSIGN(const std::vector<NamedSample> own, recorded_samples(test));
  const GuardRecord* newest = nullptr;
  const GuardRecord* refused = nullptr;
  bool is_recorded = false;  // the test itself
  size_t tried = 0;
  for (auto record = records.rbegin(); record != records.rend() && tried < kMostTried; ++record) {
    const bool other =
        record->record_id != test.record_id && (test.session_id.empty() || record->session_id != test.session_id);
    is_recorded = is_recorded || !other;
    if (!other || record->source != test.source || record->title != test.title) {
      continue;
    }
    if (record->valid == 0) {
      refused = refused == nullptr ? &*record : refused;
      continue;
    }
    ++tried;
    const Result<std::vector<NamedSample>> samples = recorded_samples(*record);
    if (!samples) {
      answer.damaged.push_back(samples.error().message + "; it is no baseline");
      continue;
    }
    newest = newest == nullptr ? &*record : newest;
    if (did_same_work(*samples, own)) {
      answer.baseline = *record;
      return {};
    }
  }
  if (newest != nullptr) {
    answer.baseline = *newest;  // the comparison says what differs
    return {};
  }
  answer.no_baseline = missing_baseline(store, test, refused, is_recorded);
  if (!answer.damaged.empty()) {
    answer.no_baseline +=
        fmt::format("; {} of the history cannot be read", counted(answer.damaged.size(), "file", "files"));
  }
  return {};
}

void advise_on_pairs(Comparison& comparison) {
  if (comparison.verdict != Verdict::kInconclusive) {
    return;
  }
  if (!comparison.interval) {  // fewer processes than an interval takes
    comparison.remedy = comparison.remedy.empty() ? "Give --budget more time." : comparison.remedy;
    return;
  }
  const bool tails = std::ranges::any_of(comparison.lines, &ChangeLine::against_equivalence);
  if (!comparison.processes_needed && !tails) {
    comparison.remedy = "More time does not help: the change is about as large as the least that counts.";
  } else if (comparison.processes_needed.value_or(0) <= kMostPairs) {
    comparison.remedy = "Give --budget more time.";
  } else {
    comparison.remedy = fmt::format(
        "aaco measures at most {} pairs: a longer run, a quieter machine or a larger --min-effect decides it.",
        kMostPairs);
  }
}

void mark_unconfirmed(const CheckRequest& request, const NotAgain& reason, GuardAnswer& answer) {
  answer.not_again = reason.why;
  if (request.accept_unconfirmed) {
    return;
  }
  for (JudgedSample& sample : answer.samples) {
    Comparison& comparison = sample.comparison;
    if (comparison.verdict == Verdict::kRegressed) {
      sample.found_slower = true;
      comparison.verdict = Verdict::kInconclusive;
      comparison.severity = Severity::kNone;
      comparison.reason = fmt::format("slower than the recording, and not measured again: {}", reason.why);
      comparison.remedy = fmt::format("To settle it {}; --accept-unconfirmed lets it count as it is.", reason.way_out);
    }
  }
}

void keep_found_slower(const std::vector<JudgedSample>& recorded, GuardAnswer& answer) {
  for (JudgedSample& sample : answer.samples) {
    const Verdict verdict = sample.comparison.verdict;
    if (verdict == Verdict::kEquivalent || verdict == Verdict::kImproved) {
      continue;
    }
    const bool was_slower = std::ranges::any_of(recorded, [&](const JudgedSample& before) {
      return before.name == sample.name && (before.found_slower || before.comparison.verdict == Verdict::kRegressed);
    });
    sample.found_slower = sample.found_slower || was_slower;
  }
}

void add_one_sided(const std::vector<std::string>& unpaired, const std::string& remedy,
                   std::vector<JudgedSample>& samples) {
  for (const std::string& which : unpaired) {
    JudgedSample& sample = samples.emplace_back();
    sample.is_one_sided = true;
    sample.comparison.verdict = Verdict::kInconclusive;
    sample.comparison.reason = which;
    sample.comparison.remedy = remedy;
  }
}

}  // namespace aaco
