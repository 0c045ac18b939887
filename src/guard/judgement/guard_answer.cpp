// SPDX-License-Identifier: MIT
#include "guard/judgement/guard_answer.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/format.h"
#include "base/json/json.h"
#include "base/json/json_text.h"

namespace aaco {

namespace {

// The first that a sample or gate has is the answer.
constexpr std::array kWorstFirst{Verdict::kRegressed, Verdict::kInvalid, Verdict::kInconclusive, Verdict::kImproved};

std::string percent_of(double ratio) { return change_text(ratio); }

Json interval_json(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json();
}

Json line_json(const ChangeLine& line) {
  return {{"figure", line.id},
          {"verdict", line.unavailable.empty() ? Json(verdict_name(line.verdict)) : Json()},
          {"reason", line.unavailable},
          {"baseline_ns", line.baseline_ns},
          {"test_ns", line.test_ns},
          {"ratio", line.ratio},
          {"interval", interval_json(line.interval)}};
}

Json time_json(ValueKind kind, const std::optional<double>& value) {
  return kind == ValueKind::kTime ? Json(value) : Json();
}

Json sample_json(const JudgedSample& sample) {
  const Comparison& comparison = sample.comparison;
  Json lines = Json::array();
  for (const ChangeLine& line : comparison.lines) {
    lines.push_back(line_json(line));
  }
  return {{"name", sample.name},
          {"verdict", verdict_name(comparison.verdict)},
          {"severity", severity_name(comparison.severity)},
          {"reason", comparison.reason},
          {"remedy", comparison.remedy},
          {"kind", word_of(sample.kind)},
          {"baseline_kind", word_of(sample.baseline_kind)},
          {"baseline", sample.baseline_value},
          {"test", sample.test_value},
          {"baseline_ns", time_json(sample.baseline_kind, sample.baseline_value)},
          {"test_ns", time_json(sample.kind, sample.test_value)},
          {"ratio", comparison.ratio},
          {"interval", interval_json(comparison.interval)},
          {"interval_confidence", comparison.interval_confidence},
          {"interleaved", comparison.interleaved},
          {"baseline_processes", comparison.baseline_processes},
          {"test_processes", comparison.test_processes},
          {"clock", word_of(sample.clock)},
          {"clock_reason", sample.clock_words},
          {"cause", sample.cause},
          {"lines", lines},
          {"warnings", comparison.warnings}};
}

Json record_json(const GuardRecord& record) {
  return {{"record_id", record.record_id}, {"recorded_ns", record.recorded_ns}, {"commit", record.commit},
          {"branch", record.branch},       {"session", record.session_id},      {"valid", record.valid != 0},
          {"reason", record.reason}};
}

const JudgedSample* sample_with(const GuardAnswer& answer, Verdict verdict) {
  const auto sample = std::ranges::find_if(
      answer.samples, [&](const JudgedSample& candidate) { return candidate.comparison.verdict == verdict; });
  return sample == answer.samples.end() ? nullptr : &*sample;
}

// Those that decided: open ones make an answer invalid, the others regressed.
std::string failed_gates(const GuardAnswer& answer, Verdict verdict) {
  std::string text;
  for (const JudgedGate& gate : answer.gates) {
    if (!gate.passed && gate.is_open == (verdict == Verdict::kInvalid)) {
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", gate.words, gate.value_words);
    }
  }
  return text;
}

}  // namespace

Verdict verdict_of(const GuardAnswer& answer) {
  if (std::ranges::any_of(answer.gates, [](const JudgedGate& gate) { return !gate.passed && !gate.is_open; })) {
    return Verdict::kRegressed;
  }
  const bool has_open_gate = std::ranges::any_of(answer.gates, &JudgedGate::is_open);
  if (answer.samples.empty()) {
    return has_open_gate ? Verdict::kInvalid : Verdict::kInconclusive;  // gates that hold compare nothing
  }
  for (const Verdict verdict : kWorstFirst) {
    if (sample_with(answer, verdict) != nullptr || (has_open_gate && verdict == Verdict::kInvalid)) {
      return verdict;
    }
  }
  return Verdict::kEquivalent;
}

int exit_code_of(const GuardAnswer& answer) {
  switch (verdict_of(answer)) {
    case Verdict::kRegressed:
      return 1;
    case Verdict::kInvalid:
    case Verdict::kInconclusive:
      return static_cast<int>(ErrorKind::kInvalid);
    default:
      return 0;
  }
}

bool may_become_baseline(const GuardAnswer& answer) {
  return verdict_of(answer) != Verdict::kRegressed &&
         std::ranges::none_of(answer.samples, [](const JudgedSample& sample) { return sample.found_slower; });
}

std::optional<ShownChange> shown_change(const JudgedSample& sample) {
  const Comparison& comparison = sample.comparison;
  if (!comparison.ratio || !comparison.interval) {
    return std::nullopt;
  }
  const Interval& interval = *comparison.interval;
  return sample.kind == ValueKind::kRate ? ShownChange{1 / *comparison.ratio, {1 / interval.high, 1 / interval.low}}
                                         : ShownChange{*comparison.ratio, interval};
}

std::string change_words(const JudgedSample& sample) {
  const std::optional<ShownChange> change = shown_change(sample);
  return change ? fmt::format("{} [{}, {}]", percent_of(change->ratio), percent_of(change->interval.low),
                              percent_of(change->interval.high))
                : "";
}

std::vector<std::string> why_lines(const JudgedSample& sample) {
  std::vector<std::string> lines;
  for (const std::string& line : {sample.comparison.reason, sample.clock_words, sample.cause}) {
    if (!line.empty()) {
      lines.push_back(line);
    }
  }
  return lines;
}

std::string headline_of(const GuardAnswer& answer) {
  const Verdict verdict = verdict_of(answer);
  std::string text = verdict_name(verdict);
  if (const std::string gates = failed_gates(answer, verdict); !gates.empty()) {
    return text + ": " + gates;
  }
  const JudgedSample* const sample = sample_with(answer, verdict);
  if (sample == nullptr) {
    return text + (answer.no_baseline.empty() ? "" : ": " + answer.no_baseline);
  }
  // The difference between sides that cannot be compared is no change.
  const std::string change = verdict == Verdict::kInvalid ? "" : change_words(*sample);
  text += change.empty() ? ": " + sample->comparison.reason : ": " + change;
  if (!sample->name.empty()) {
    text += " in " + sample->name;
  }
  if (answer.measured_again) {
    text += ", " + counted(answer.pairs, "interleaved pair", "interleaved pairs");
  }
  return text;
}

void to_json(Json& json, const GuardAnswer& answer) {
  json = {{"verdict", verdict_name(verdict_of(answer))},
          {"exit_code", exit_code_of(answer)},
          {"headline", headline_of(answer)},
          {"subject", answer.test.place.subject},
          {"backend", answer.test.place.backend},
          {"machine", answer.test.place.machine},
          {"test", record_json(answer.test)},
          {"baseline", answer.baseline ? record_json(*answer.baseline) : Json()},
          {"no_baseline", answer.no_baseline},
          {"damaged", answer.damaged},
          {"measured_again", answer.measured_again},
          {"not_measured_again", answer.not_again},
          {"pairs", answer.pairs},
          {"looks", answer.looks},
          {"seconds", answer.seconds},
          {"min_effect", answer.min_effect},
          {"level", answer.level},
          {"samples", Json::array()},
          {"gates", Json::array()}};
  for (const JudgedSample& sample : answer.samples) {
    json["samples"].push_back(sample_json(sample));
  }
  for (const JudgedGate& gate : answer.gates) {
    json["gates"].push_back({{"gate", gate.words},
                             {"value", gate.value},
                             {"value_text", gate.value_words},
                             {"passed", gate.passed},
                             {"open", gate.is_open}});
  }
}

}  // namespace aaco
