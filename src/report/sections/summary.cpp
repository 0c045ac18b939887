// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>

#include "analysis/model_run/conclusions/bottleneck.h"
#include "base/format.h"
#include "base/json/json.h"
#include "report/headline/stake.h"
#include "report/json_fields.h"
#include "report/sections/estimates.h"
#include "report/sections/sections.h"
#include "report/values.h"
#include "verdict/compare.h"

namespace aaco::report {

namespace {

constexpr size_t kAdvices = 3;

KeyFigure latency_figure(const Input& input) {
  const LatencySummary* latency = input.analysis.primary_latency();
  if (latency == nullptr) {
    return {"median latency", missing_cell("no data"), "no unprofiled iteration was recorded", Tone::kWarning};
  }
  const Estimate& median = latency->p50_ns;
  const std::string detail = median.interval ? "95 % " + format_interval(*median.interval, "ns") + ", " +
                                                   counted(latency->processes, "process", "processes")
                                             : "no interval: needs 3 processes";
  return {latency->phase == IterationPhase::kMeasure ? "median latency"
                                                     : fmt::format("median latency, {}", word_of(latency->phase)),
          estimate_cell(median, "ns"), detail};
}

KeyFigure tail_figure(const Input& input) {
  const LatencySummary* latency = input.analysis.primary_latency();
  if (latency == nullptr || !latency->p99_ns) {
    return {"p99 latency", missing_cell("no data"), "too few iterations"};
  }
  return {"p99 latency", interval_cell(*latency->p99_ns, latency->p99_interval_ns, "ns"),
          latency->p99_interval_ns ? "95 % " + format_interval(*latency->p99_interval_ns, "ns")
                                   : "no interval: too few iterations"};
}

KeyFigure throughput_figure(const Input& input) {
  const std::vector<MetricRow> metrics = metric_rows(all_metrics(), input.analysis.metrics);
  const MetricRow* decode = find_row(metrics, "decode_tokens_per_s");
  return key_figure(metrics, decode != nullptr && decode->figure.value ? "decode_tokens_per_s" : "throughput",
                    "throughput");
}

KeyFigure bottleneck_figure(const Input& input) {
  const Bottleneck& bottleneck = input.analysis.bottleneck;
  const BottleneckClass bottleneck_class = bottleneck.bottleneck_class == BottleneckClass::kUnknown
                                               ? BottleneckClass::kUndetermined
                                               : bottleneck.bottleneck_class;
  const bool undetermined = bottleneck_class == BottleneckClass::kUndetermined;
  std::string detail =
      "score " + format_percent(bottleneck.confidence, 0) + ", coverage " + format_percent(bottleneck.coverage, 0);
  if (bottleneck.coverage == 0) {
    detail = "no signal has data";
  } else if (undetermined) {
    detail = "no class has evidence enough";
  }
  return {"bottleneck", bottleneck_words(bottleneck_class), detail, undetermined ? Tone::kWarning : Tone::kNeutral};
}

KeyFigure offender_figure(const Input& input) {
  if (input.analysis.offenders.empty()) {
    return {"most to gain", missing_cell("no data"), "needs a profile (--profile)"};
  }
  const Offender& first = input.analysis.offenders.front();
  return {"most to gain, at most", number_cell(first.stake_ns, "ns"), first.subject};
}

void add_verdict(const Json& verdict, Section& section) {
  const std::string name = text_of(verdict, "verdict");
  if (name.empty()) {
    return;
  }
  section.badges.push_back({"verdict: " + name, tone_of_verdict(name)});
  std::string sentence = "Against the baseline: " + name;
  for (const char* key : {"reason", "recommendation"}) {
    const std::string text = text_of(verdict, key);
    sentence += text.empty() ? "" : ". " + text;
  }
  section.blocks.push_back(Paragraph{sentence, tone_of_verdict(name)});
}

}  // namespace

Tone tone_of_verdict(const std::string& verdict) {
  switch (parse_verdict(verdict).value_or(Verdict::kInconclusive)) {
    case Verdict::kRegressed:
    case Verdict::kInvalid:
      return Tone::kBad;
    case Verdict::kImproved:
    case Verdict::kEquivalent:
      return Tone::kGood;
    case Verdict::kInconclusive:
      break;
  }
  return Tone::kWarning;
}

Badge status_badge(SessionStatus status) {
  const bool bad = status == SessionStatus::kFailed || status == SessionStatus::kInvalid;
  return {session_status_name(status), status == SessionStatus::kComplete ? Tone::kGood
                                       : bad                              ? Tone::kBad
                                                                          : Tone::kWarning};
}

Section summary_section(const Input& input) {
  Section section{"summary", "Summary", {}, {}};
  if (input.verdict != nullptr) {
    add_verdict(*input.verdict, section);
  }
  if (input.status != SessionStatus::kComplete) {
    const std::string reason = input.info.status_reason.empty() ? "" : ": " + input.info.status_reason;
    section.blocks.push_back(Paragraph{std::string("This session is ") + session_status_name(input.status) + reason +
                                           ". The figures below rest on what was recorded until then.",
                                       status_badge(input.status).tone});
  }
  section.blocks.push_back(KeyFigures{{latency_figure(input), tail_figure(input), throughput_figure(input),
                                       bottleneck_figure(input), offender_figure(input)}});
  if (!input.analysis.summary.empty()) {
    section.blocks.push_back(Bullets{"What was found", input.analysis.summary});
  }
  Bullets advices{"What to do next, by what it could save", {}};
  for (const Offender& offender : input.analysis.offenders) {
    if (advices.items.size() == kAdvices || !is_worth_a_line(offender)) {
      continue;
    }
    advices.items.push_back(
        fmt::format("{} {}: {}", offender.subject, stake_words(offender, "the latency"), offender.recommendation));
  }
  if (!advices.items.empty()) {
    section.blocks.push_back(std::move(advices));
  }
  return section;
}

}  // namespace aaco::report
