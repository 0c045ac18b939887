// SPDX-License-Identifier: MIT
#include "verdict/compare.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/format.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "record/shapes_text.h"
#include "verdict/change/basis.h"
#include "verdict/change/drift_margin.h"
#include "verdict/change/odd_process.h"
#include "verdict/change/odd_words.h"
#include "verdict/change/signed_ranks.h"
#include "verdict/change/undecided.h"
#include "verdict/drift.h"
#include "verdict/identity/machine_difference.h"
#include "verdict/identity/value_kind.h"
#include "verdict/throttling/throttled_sides.h"

namespace aaco {

namespace {

// Why the two sides are not a measurement of one thing; empty where they are.
std::string difference_of(const Comparison& comparison) {
  std::string what;
  if (!comparison.configuration_differences.empty()) {
    what = "the two runs did not measure the same thing (baseline / test): " +
           difference_list(comparison.configuration_differences);
  }
  if (!comparison.machine_differences.empty()) {
    what += fmt::format("{} on the same machine (baseline / test): {}",
                        what.empty() ? "the two runs were not measured" : "; nor were they measured",
                        difference_list(comparison.machine_differences));
  }
  return what;
}

// What a side does not tell of what must agree.
std::string not_recorded_by(const RunSample& sample, const std::string& side) {
  std::vector<std::string> what;
  if (!sample.configuration.model_sha256.empty()) {
    what = work_not_recorded(sample.configuration.work);
  }
  if (sample.environment->is_object() && !names_machine(sample.environment)) {
    what.emplace_back("processor");
  }
  return what.empty() ? ""
                      : fmt::format("not recorded by the {}: {}; whether the sides agree there is not known", side,
                                    fmt::join(what, ", "));
}

// Why two sessions recorded apart tell nothing; empty where they do.
std::string crowded(const RunSample& baseline, const RunSample& test) {
  const double of_baseline = baseline.others_share.value_or(0);
  const double of_test = test.others_share.value_or(0);
  if (std::max(of_baseline, of_test) <= kCrowdedShare) {
    return "";
  }
  return fmt::format(
      "crowded: other programs held {} of the machine's processors while the {} was measured, more than the {} at "
      "which sessions "
      "recorded apart can be compared; those that are measured in turns can",
      format_percent(std::max(of_baseline, of_test), 0), of_baseline > of_test ? "baseline" : "test",
      format_percent(kCrowdedShare, 0));
}

void warn_about(const RunSample& sample, const std::string& side, std::vector<std::string>& warnings) {
  const auto processes = static_cast<int64_t>(sample.process_medians_ns.size());
  if (2 * sample.stationary_processes < processes) {
    warnings.push_back(fmt::format("{}: warm-up became stationary in {} of {} only", side, sample.stationary_processes,
                                   counted(processes, "process", "processes")));
  }
}

Basis basis_of(const RunSample& sample, bool of_modes) {
  if (!of_modes) {
    return {sample.process_medians_ns, {}, {}};
  }
  Basis basis;
  for (const ProcessSample& process : sample.processes) {
    basis.values.push_back(trimmed_mean_ns(process));
    basis.sampling_errors.push_back(trimmed_mean_error(process));
  }
  return basis;
}

// Times that a machine measured differ; those that are counted or computed may not.
bool is_exact(const RunSample& sample) {
  const auto [low, high] = std::ranges::minmax(sample.process_medians_ns);
  return low == high &&
         std::ranges::all_of(sample.processes, [](const auto& process) { return process.sigma_ns == 0; });
}

std::string interval_text(const Comparison& result) {
  return fmt::format("{:.5g} % interval of the ratio [{:.4f}, {:.4f}]", 100 * result.interval_confidence,
                     result.interval->low, result.interval->high);
}

std::string reason_of(const Comparison& result) {
  switch (result.verdict) {
    case Verdict::kRegressed:
      return fmt::format("{} lies above {:.4g}", interval_text(result), 1 + result.min_effect);
    case Verdict::kImproved:
      return fmt::format("{} lies below {:.4g}", interval_text(result), 1 - result.min_effect);
    case Verdict::kEquivalent:
      return fmt::format("{:.5g} % interval of the ratio [{:.4f}, {:.4f}] lies within ({:.4g}, {:.4g})",
                         100 * result.equivalence_confidence, result.equivalence_interval->low,
                         result.equivalence_interval->high, 1 - result.min_effect, 1 + result.min_effect);
    default:
      return undecided_reason(
          {*result.ratio, *result.interval, result.min_effect, result.drift.value_or(0), result.processes_needed},
          interval_text(result));
  }
}

Severity severity_of(double change, const SeverityBounds& bounds) {
  return change >= bounds.critical ? Severity::kCritical
         : change >= bounds.high   ? Severity::kHigh
         : change >= bounds.medium ? Severity::kMedium
                                   : Severity::kLow;
}

void decide(const Finding& finding, const CompareOptions& options, bool may_claim, Comparison& result) {
  result.ratio = finding.ratio;
  result.interval = finding.interval;
  result.equivalence_interval = finding.within;
  const bool slower = finding.ratio > 1;
  result.change_p = slower ? finding.p_slower : finding.p_faster;
  result.confidence = slower ? finding.confidence_slower : finding.confidence_faster;
  if (may_claim && finding.interval.low > 1 + options.min_effect) {
    result.verdict = Verdict::kRegressed;
    result.severity = severity_of(finding.ratio - 1, options.severity);
  } else if (may_claim && finding.interval.high < 1 - options.min_effect) {
    result.verdict = Verdict::kImproved;
  } else if (finding.within.low > 1 - options.min_effect && finding.within.high < 1 + options.min_effect) {
    result.verdict = Verdict::kEquivalent;
    result.confidence = finding.confidence_equivalent;
  } else {
    result.verdict = Verdict::kInconclusive;
  }
}

std::string text_of_value(const RunSample& sample, double value) {
  const ValueKind kind = value_kind_of(sample.configuration.work);
  return value_text(kind, as_given(kind, value));
}

std::string line_text(const ChangeLine& line) {
  return fmt::format("{} {}", line.title, change_text(line.id == "throughput" ? 1 / *line.ratio : *line.ratio));
}

std::string join_lines(const std::vector<const ChangeLine*>& lines) {
  std::vector<std::string> texts;
  for (const ChangeLine* line : lines) {
    texts.push_back(line_text(*line));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

// What the lines make of the verdict of the basis.
void combine(const CompareOptions& options, Comparison& result) {
  std::vector<const ChangeLine*> slower;
  std::vector<const ChangeLine*> faster;
  std::vector<const ChangeLine*> against;
  std::vector<const ChangeLine*> open;
  for (const ChangeLine& line : result.lines) {
    if (line.verdict == Verdict::kRegressed) {
      slower.push_back(&line);
    } else if (line.verdict == Verdict::kImproved) {
      faster.push_back(&line);
    } else if (line.against_equivalence) {
      against.push_back(&line);
    } else if (line.unavailable.empty() && line.verdict != Verdict::kEquivalent) {
      open.push_back(&line);
    }
  }
  const auto decided_by = [&](Verdict verdict, const std::vector<const ChangeLine*>& lines) {
    result.reason = fmt::format("{} by {}; the {} alone are {}: {}", verdict_name(verdict), join_lines(lines),
                                result.basis, verdict_name(result.verdict), result.reason);
    result.verdict = verdict;
    result.confidence = 0;
    for (const ChangeLine* line : lines) {
      result.decided_by.push_back(line->title);
      result.confidence = std::max(*result.confidence, line->confidence.value_or(0));
      if (verdict == Verdict::kRegressed) {
        result.severity = std::max(result.severity, severity_of(*line->ratio - 1, options.severity));
      }
    }
    result.processes_needed.reset();
  };
  if (result.verdict == Verdict::kRegressed || result.verdict == Verdict::kInvalid) {
    result.reason += slower.empty() ? "" : fmt::format("; regressed too: {}", join_lines(slower));
    result.reason += faster.empty() ? "" : fmt::format("; yet improved: {}", join_lines(faster));
  } else if (!slower.empty()) {
    decided_by(Verdict::kRegressed, slower);
  } else if (result.verdict == Verdict::kEquivalent && !faster.empty()) {
    decided_by(Verdict::kImproved, faster);
  } else if (result.verdict == Verdict::kEquivalent && !against.empty()) {
    result.verdict = Verdict::kInconclusive;
    result.confidence.reset();
    result.reason =
        fmt::format("the {} are equivalent, yet these probably changed: {}; {}", result.basis, join_lines(against),
                    result.interleaved ? "more processes decide it" : "measure both sides in turns");
  } else if (result.verdict == Verdict::kEquivalent && !open.empty()) {
    result.reason += fmt::format("; not decided: {}", join_lines(open));
  }
}

// Where the median of a process is in one mode or the other, equivalent medians are needed besides equivalent means.
void explain_modes(const RunSample& baseline, const RunSample& test, Comparison& result) {
  std::vector<std::string> sides;
  for (const auto& [modes, sample, name] :
       {std::tuple{&result.baseline_modes, &baseline, "baseline"}, std::tuple{&result.test_modes, &test, "test"}}) {
    sides.push_back(*modes ? fmt::format("{} {}", name, modes_text(**modes))
                           : fmt::format("{} one, {}", name, format_duration_ns(*median(sample->process_medians_ns))));
  }
  const double medians = *median(test.process_medians_ns) / *median(baseline.process_medians_ns);
  if (result.verdict == Verdict::kEquivalent && std::abs(std::log(medians)) > std::log1p(result.min_effect)) {
    result.verdict = Verdict::kInconclusive;
    result.confidence.reset();
  }
  result.reason =
      fmt::format("two modes ({}), so means are compared, which their shares and places move, and not medians ({}): {}",
                  fmt::join(sides, "; "), change_text(medians), result.reason);
}

// "" where there are lines.
std::string why_no_lines(const RunSample& baseline, const RunSample& test) {
  for (const auto& [sample, side] : {std::pair{&baseline, "baseline"}, std::pair{&test, "test"}}) {
    if (sample->processes.empty()) {
      return fmt::format("the {} holds the medians of its processes only", side);
    }
  }
  return "";
}

// The verdict on two samples that can be compared: of the basis, the other lines, and of all together.
void judge_change(const RunSample& baseline, const RunSample& test, const CompareOptions& options, Comparison& result) {
  const bool paired = result.interleaved;
  DriftSource source{.interleaved = paired, .measured = options.drift, .others_share = 0};
  const bool exact = is_exact(baseline) && is_exact(test);
  const size_t processes = result.baseline_processes + result.test_processes;
  const auto may_claim = [&](double ratio) {
    return paired || options.drift || processes >= kProcessesBeyondModes || ratio >= kBeyondModes ||
           ratio <= 1 / kBeyondModes;
  };
  DriftSource line_source = source;
  line_source.others_share = std::max(baseline.others_share.value_or(0), test.others_share.value_or(0));
  result.lines_unavailable = why_no_lines(baseline, test);
  result.lines = change_lines(baseline.processes, test.processes,
                              {.min_effect = options.min_effect,
                               .level = options.level * kLineShare,
                               .equivalence_confidence = options.equivalence_confidence,
                               .drift = line_source,
                               .exact = exact,
                               .may_claim = may_claim});
  const double level = result.lines.empty() ? options.level : options.level * (1 - kLineShare);

  const bool both_known = !baseline.processes.empty() && !test.processes.empty();
  result.baseline_modes = both_known ? two_modes(baseline.processes) : std::nullopt;
  result.test_modes = both_known ? two_modes(test.processes) : std::nullopt;
  const bool of_modes = result.baseline_modes || result.test_modes;
  Basis a = basis_of(baseline, of_modes);
  Basis b = basis_of(test, of_modes);
  a.odd = odd_values(a.values);
  b.odd = odd_values(b.values);
  const DriftMargin margin = drift_margin(source, a.without_odd(), b.without_odd(), kUnmeasuredDrift, exact);
  LogChange change =
      *log_change({a.values, a.sampling_errors}, {b.values, b.sampling_errors}, paired, margin, options.min_effect);
  const double of_medians = median_log_ratio(a, b, paired);
  const bool any_odd = !a.odd.empty() || !b.odd.empty();
  // A sign that the medians shown beside it deny comes from few processes too, though none is far enough to be named.
  const bool denied = change.d * of_medians < 0 && std::max(std::abs(change.d), std::abs(of_medians)) > change.upper();
  const bool far = paired && has_far_pairs(pair_differences(a, b));
  const bool signed_ranks = paired && (any_odd || denied || far) && are_enough_pairs(a.values.size(), level);
  const bool ranks = any_odd || denied || signed_ranks;
  const SideLevels levels{.change = level, .equivalence = (1 - options.equivalence_confidence) / 2};
  const Finding finding = signed_ranks ? by_signed_ranks(a, b, levels, change)
                          : ranks      ? by_ranks(a, b, change, paired, levels)
                                       : finding_of(change, levels);
  result.basis = of_modes ? "means of two modes" : ranks ? "medians, by ranks," : "medians";
  result.interval_confidence = signed_ranks ? 1 - level : 1 - 2 * level;
  result.equivalence_confidence = options.equivalence_confidence;
  result.degrees = change.degrees;
  if (!paired) {
    result.drift = options.drift.value_or(margin.of_change);  // as it was given, not through a logarithm
    result.drift_source =
        options.drift ? "measured: " + options.drift_source
        : exact       ? "none: every time is the same, as if it was computed"
                      : fmt::format(
                      "not measured (run {} FILE): {} stands in, which 98 % of 300 pairs of sessions of the "
                            "same thing lay within, or the spread between processes; sides measured in turns need no margin",
                      kDriftMeasurement, format_percent(margin.of_change, 1));
  }
  result.minimum_detectable = change.minimum_detectable(result.interval_confidence);
  const bool claimable = may_claim(finding.ratio);
  decide(finding, options, claimable, result);
  if (result.verdict != Verdict::kEquivalent) {
    result.confidence = std::min(*result.confidence, most_confidence(source, margin));
  }
  if (result.verdict == Verdict::kInconclusive) {
    result.processes_needed = ranks && !signed_ranks
                                  ? processes_for_ranks(a, b, finding, change, paired, level)
                                  : change.processes_needed(result.interval_confidence, options.equivalence_confidence);
  }
  result.reason = reason_of(result);
  if (result.verdict == Verdict::kInconclusive && !claimable &&
      (finding.interval.low > 1 + options.min_effect || finding.interval.high < 1 - options.min_effect)) {
    result.processes_needed = static_cast<int64_t>(kProcessesBeyondModes + 1) / 2;
    result.confidence.reset();
    result.reason = fmt::format(
        "all of the baseline lie near {}, all of the test near {}: two modes that each process falls into by chance "
        "part {} and {} processes so in {} of pairs; needs {} processes a side, or both sides measured in turns",
        text_of_value(baseline, *median(a.values)), text_of_value(test, *median(b.values)), result.baseline_processes,
        result.test_processes, format_percent(2 * std::pow(0.5, static_cast<double>(processes)), 1),
        *result.processes_needed);
  }
  if (any_odd) {
    for (const auto& [side, sample, name] : {std::tuple{&a, &baseline, "baseline"}, std::tuple{&b, &test, "test"}}) {
      std::ranges::move(odd_warnings(*side, name, value_kind_of(sample->configuration.work)),
                        std::back_inserter(result.warnings));
    }
    result.reason +=
        fmt::format("; {} {} far from the others", named_odd(a, b), a.odd.size() + b.odd.size() > 1 ? "are" : "is");
  }
  combine(options, result);
  if (of_modes) {
    explain_modes(baseline, test, result);
  }
}

}  // namespace

std::string why_not_comparable(const RunSample& sample, const std::string& side) {
  if (sample.status != SessionStatus::kComplete) {
    return fmt::format(
        "the {} session is {}{}", side,
        sample.status == SessionStatus::kUnknown ? "of unknown status" : session_status_name(sample.status),
        sample.status_reason.empty() ? "" : ": " + sample.status_reason);
  }
  if (!sample.outputs_finite) {
    return fmt::format("outputs of the {} run hold NaN or infinity", side);
  }
  if (sample.process_medians_ns.empty()) {
    return fmt::format("the {} run has no measured latencies: profiled iterations are never compared", side);
  }
  const auto bad = [](double value) { return !(value > 0) || !std::isfinite(value); };
  if (std::ranges::any_of(sample.process_medians_ns, bad)) {
    return fmt::format("the {} run has a process median that is no duration", side);
  }
  return "";
}

std::vector<ConfigurationDifference> configuration_differences(const SampleConfiguration& baseline,
                                                               const SampleConfiguration& test) {
  std::vector<ConfigurationDifference> differences;
  Json a = baseline;
  Json b = test;
  a.erase("input_shapes");
  a.erase("work");
  const bool shapes_known = !baseline.input_shapes.empty() && !test.input_shapes.empty();
  if (shapes_known) {
    a.erase("dims");
  }
  if (!baseline.model_sha256.empty() && baseline.model_sha256 == test.model_sha256) {
    a.erase("model_name");
  }
  const bool options_known = baseline.work.contains(work_group::kOptions) && test.work.contains(work_group::kOptions);
  if (options_known && !baseline.provider.empty() && baseline.provider == test.provider) {
    a.erase("backend");
  }
  for (Json* side : {&a, &b}) {
    (*side)["inter_op_threads"] = std::max<int64_t>(1, (*side)["inter_op_threads"].get<int64_t>());
  }
  for (const auto& [field, value] : a.items()) {
    if (const Json& other = b.at(field); value != other) {
      const auto text = [](const Json& json) { return json.is_string() ? json.get<std::string>() : json_text(json); };
      differences.push_back({field, text(value), text(other)});
    }
  }
  if (shapes_known && baseline.input_shapes != test.input_shapes) {
    auto of_baseline = baseline.input_shapes;
    auto of_test = test.input_shapes;
    for (const auto& [name, sizes] : baseline.input_shapes) {
      if (const auto other = of_test.find(name); other != of_test.end() && other->second == sizes) {
        of_baseline.erase(name);
        of_test.erase(other);
      }
    }
    differences.push_back({"input_shapes", shapes_text(of_baseline), shapes_text(of_test)});
  }
  std::ranges::move(work_differences(baseline.work, test.work), std::back_inserter(differences));
  return differences;
}

Comparison compare(const RunSample& baseline, const RunSample& test, const CompareOptions& options) {
  Comparison result;
  result.min_effect = options.min_effect;
  result.baseline_processes = baseline.process_medians_ns.size();
  result.test_processes = test.process_medians_ns.size();
  result.configuration_differences = configuration_differences(baseline.configuration, test.configuration);
  std::ranges::move(variable_differences(baseline.environment, test.environment),
                    std::back_inserter(result.configuration_differences));
  result.machine_differences =
      machine_differences(baseline.environment, test.environment,
                          baseline.device_kind == DeviceKind::kGpu && test.device_kind == DeviceKind::kGpu);
  for (const auto& [sample, side] : {std::pair{&baseline, "baseline"}, std::pair{&test, "test"}}) {
    if (const std::string why = why_not_comparable(*sample, side); !why.empty()) {
      result.reason = why;
      return result;
    }
    warn_about(*sample, side, result.warnings);
    if (std::string what = not_recorded_by(*sample, side); !what.empty()) {
      result.not_recorded.push_back(std::move(what));
    }
  }
  if (baseline.phase != test.phase) {
    result.reason = fmt::format("the baseline measured {} latencies, the test {}", baseline.phase, test.phase);
    return result;
  }
  if (const std::string what = difference_of(result); !what.empty()) {
    if (!options.allow_different) {
      result.reason = what;
      result.remedy = result.machine_differences.empty() ? "Measure the same work on both sides."
                                                         : "Measure both sides on one machine.";
      return result;
    }
    result.warnings.push_back(what);
  }
  if (const std::string what = throttled_sides(baseline, test); !what.empty()) {
    if (!options.allow_different) {
      result.reason = what;
      result.remedy = kThrottlingRemedy;
      return result;
    }
    result.warnings.push_back(what);
  }
  result.verdict = Verdict::kInconclusive;
  if (std::min(result.baseline_processes, result.test_processes) < kMinProcesses) {
    result.processes_needed = static_cast<int64_t>(kMinProcesses);
    result.reason =
        fmt::format("{} and {}: needs {} a side", counted(result.baseline_processes, "process", "processes"),
                    result.test_processes, kMinProcesses);
    return result;
  }
  const bool same_group = !baseline.interleave_group.empty() && baseline.interleave_group == test.interleave_group;
  result.interleaved = same_group && result.baseline_processes == result.test_processes;
  if (same_group && !result.interleaved) {
    result.warnings.emplace_back(
        "the sides ran interleaved but have different numbers of processes: compared as sequential");
  }
  if (const std::string crowd = result.interleaved ? "" : crowded(baseline, test); !crowd.empty()) {
    result.verdict = Verdict::kInvalid;
    result.reason = crowd;
    result.remedy = kCrowdedRemedy;
    return result;
  }
  judge_change(baseline, test, options, result);
  return result;
}

}  // namespace aaco
