// SPDX-License-Identifier: MIT
#include "guard/judgement/check_request.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

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

}  // namespace

Result<void> choose_baseline(const GuardStore& store, const GuardRecord& test, GuardAnswer& answer) {
  AACO_ASSIGN(const std::vector<GuardRecord> records, store.records(test.place, answer.damaged));
  AACO_ASSIGN(const std::vector<NamedSample> own, recorded_samples(test));
  const GuardRecord* newest = nullptr;
  const GuardRecord* refused = nullptr;
  size_t tried = 0;
  for (auto record = records.rbegin(); record != records.rend() && tried < kMostTried; ++record) {
    const bool other =
        record->record_id != test.record_id && (test.session_id.empty() || record->session_id != test.session_id);
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
  answer.no_baseline = refused == nullptr ? fmt::format("no baseline of {} on {} in {}: aaco guard record keeps one",
                                                        test.place.subject, test.place.machine, store.folder().string())
                                          : fmt::format("no valid baseline of {}: the newest is {}", test.place.subject,
                                                        refused->reason);
  if (!answer.damaged.empty()) {
    answer.no_baseline +=
        fmt::format("; {} of the history cannot be read", counted(answer.damaged.size(), "file", "files"));
  }
  return {};
}

void say_in_guards_words(Comparison& comparison) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kWords{{
      {"; --rerun interleaves them", ""},
      {"use --rerun, which interleaves the sides, or a", "measure both sides in turns, or on a"},
      {"use --rerun, which interleaves the sides", "measure both sides in turns"},
      {", or --rerun", ", or both sides measured in turns"},
  }};
  for (const auto& [words, ours] : kWords) {
    if (const size_t place = comparison.reason.find(words); place != std::string::npos) {
      comparison.reason.replace(place, words.size(), ours);
    }
  }
  if (const size_t flag = comparison.reason.find("; --allow-different"); flag != std::string::npos) {
    comparison.reason.resize(flag);
  }
  if (comparison.remedy.find("--") != std::string::npos) {
    comparison.remedy = comparison.verdict == Verdict::kInvalid ? "Measure the same work on one machine on both sides."
                                                                : "Measure more processes on each side (--processes).";
  }
}

void advise_on_pairs(Comparison& comparison) {
  if (comparison.verdict != Verdict::kInconclusive || !comparison.interval) {
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

void mark_unconfirmed(const CheckRequest& request, const std::string& why, GuardAnswer& answer) {
  answer.not_again = why;
  if (request.accept_unconfirmed) {
    return;
  }
  for (JudgedSample& sample : answer.samples) {
    Comparison& comparison = sample.comparison;
    if (comparison.verdict == Verdict::kRegressed) {
      comparison.verdict = Verdict::kInconclusive;
      comparison.severity = Severity::kNone;
      comparison.reason = fmt::format("slower than the recording, and not measured again: {}", why);
      comparison.remedy = "Let aaco measure both sides (--against), or take it as it is (--accept-unconfirmed).";
    }
  }
}

}  // namespace aaco
