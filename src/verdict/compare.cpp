// SPDX-License-Identifier: MIT
#include "verdict/compare.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

#include "base/format.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/text/enum_words.h"
#include "trace/shapes_text.h"
#include "verdict/identity/machine_difference.h"

namespace aaco {

namespace {

constexpr EnumWords<Verdict, 5> kVerdicts{{"regressed", "improved", "equivalent", "inconclusive", "invalid"}};
constexpr EnumWords<Severity, 5> kSeverities{{"none", "low", "medium", "high", "critical"}};

constexpr double kPower = 0.95;                // of the minimum detectable change
constexpr int64_t kMostProcesses = 1'000'000;  // a need above this is no advice

// Everything the statistics give, on the scale of logarithms.
struct LogScale {
  double d = 0;
  double standard_error = 0;
  double degrees = 0;
  double drift = 0;
  double upper = 0;  // ln(1 + min_effect)
  double lower = 0;  // ln(1 - min_effect)
  size_t processes = 0;
  double confidence = kVerdictConfidence;  // of the interval that decides regressed and improved
};

double quantile_at(const LogScale& log, double confidence) {
  return student_t_quantile(0.5 + confidence / 2, log.degrees);
}

// The same spread, estimated from n processes a side.
LogScale with_processes(const LogScale& log, double n) {
  const auto now = static_cast<double>(log.processes);
  LogScale other = log;
  other.standard_error = log.standard_error * std::sqrt(now / n);
  other.degrees = log.degrees * (n - 1) / (now - 1);
  return other;
}

Interval widened(const LogScale& log, double confidence) {
  const double half = quantile_at(log, confidence) * log.standard_error + log.drift;
  return {std::exp(log.d - half), std::exp(log.d + half)};
}

// p of the one-sided test that a quantity with this estimate lies above zero; 1 - p loses what is small.
double one_sided_p(const LogScale& log, double distance) {
  if (!(log.standard_error > 0)) {
    return distance > 0 ? 0 : 1;
  }
  return student_t_cdf(-distance / log.standard_error, log.degrees);
}

double one_sided_confidence(const LogScale& log, double distance) {
  if (!(log.standard_error > 0)) {
    return distance > 0 ? 1 : 0;
  }
  return student_t_cdf(distance / log.standard_error, log.degrees);
}

// Processes a side with which the present change would be decided, if the spread stays: the estimate must be farther
// from the boundary than drift plus t times the standard error. None where no number of processes decides it.
std::optional<int64_t> processes_needed(const LogScale& log) {
  const double boundary = log.d > 0 ? log.upper : -log.lower;
  const double beyond = std::abs(log.d) - boundary - log.drift;
  const double within = boundary - std::abs(log.d) - log.drift;
  const double room = beyond > 0 ? beyond : within;
  const double confidence = beyond > 0 ? log.confidence : kEquivalenceConfidence;
  const auto decides = [&](int64_t n) {
    const LogScale more = with_processes(log, static_cast<double>(n));
    return quantile_at(more, confidence) * more.standard_error < room;
  };
  if (!(room > 0) || !decides(kMostProcesses)) {
    return std::nullopt;
  }
  int64_t too_few = static_cast<int64_t>(log.processes);
  int64_t enough = kMostProcesses;
  while (enough - too_few > 1) {
    const int64_t middle = too_few + (enough - too_few) / 2;
    (decides(middle) ? enough : too_few) = middle;
  }
  return enough;
}

Severity severity_of(double change, const SeverityBounds& bounds) {
  return change >= bounds.critical ? Severity::kCritical
         : change >= bounds.high   ? Severity::kHigh
         : change >= bounds.medium ? Severity::kMedium
                                   : Severity::kLow;
}

double geometric_spread(const RunSample& baseline, const RunSample& test) {
  const auto squares = [](const std::vector<double>& medians) {
    std::vector<double> logs;
    for (const double value : medians) {
      logs.push_back(std::log(value));
    }
    return std::pow(*standard_deviation(logs), 2) * static_cast<double>(logs.size() - 1);
  };
  const size_t degrees = baseline.process_medians_ns.size() + test.process_medians_ns.size() - 2;
  return std::expm1(std::sqrt((squares(baseline.process_medians_ns) + squares(test.process_medians_ns)) /
                              static_cast<double>(degrees)));
}

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
      "recorded apart can be compared; --rerun interleaves them",
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

void set_drift(const RunSample& baseline, const RunSample& test, const CompareOptions& options, Comparison& result) {
  if (options.drift) {
    result.drift = options.drift;
    result.drift_source = "measured: " + options.drift_source;
    return;
  }
  result.drift = geometric_spread(baseline, test);
  result.drift_source = fmt::format("not measured (run bench/aa): the spread between processes, {}, stands in",
                                    format_percent(*result.drift, 2));
}

std::string reason_of(const Comparison& result) {
  const std::string interval =
      fmt::format("{:.5g} % interval of the ratio [{:.4f}, {:.4f}]", 100 * result.interval_confidence,
                  result.interval->low, result.interval->high);
  switch (result.verdict) {
    case Verdict::kRegressed:
      return fmt::format("{} lies above {:.4g}", interval, 1 + result.min_effect);
    case Verdict::kImproved:
      return fmt::format("{} lies below {:.4g}", interval, 1 - result.min_effect);
    case Verdict::kEquivalent:
      return fmt::format("{:.0f} % interval of the ratio [{:.4f}, {:.4f}] lies within ({:.4g}, {:.4g})",
                         100 * kEquivalenceConfidence, result.equivalence_interval->low,
                         result.equivalence_interval->high, 1 - result.min_effect, 1 + result.min_effect);
    default:
      break;
  }
  if (result.processes_needed) {
    return fmt::format("{} decides nothing: needs about {} processes a side", interval, *result.processes_needed);
  }
  return fmt::format(
      "{} decides nothing, and no number of processes would: the change lies within {} of the minimum effect", interval,
      result.drift ? "the drift margin" : "the spread");
}

void decide(const LogScale& log, const CompareOptions& options, Comparison& result) {
  result.ratio = std::exp(log.d);
  result.interval_confidence = log.confidence;
  result.interval = widened(log, log.confidence);
  result.degrees = log.degrees;
  result.equivalence_interval = widened(log, kEquivalenceConfidence);
  result.minimum_detectable =
      std::expm1(log.upper + log.drift +
                 (quantile_at(log, log.confidence) + student_t_quantile(kPower, log.degrees)) * log.standard_error);
  const double above = log.d - log.drift - log.upper;
  const double below = log.lower - log.drift - log.d;
  result.change_p = one_sided_p(log, log.d > 0 ? above : below);
  if (result.interval->low > 1 + options.min_effect) {
    result.verdict = Verdict::kRegressed;
    result.severity = severity_of(*result.ratio - 1, options.severity);
    result.confidence = one_sided_confidence(log, above);
  } else if (result.interval->high < 1 - options.min_effect) {
    result.verdict = Verdict::kImproved;
    result.confidence = one_sided_confidence(log, below);
  } else if (result.equivalence_interval->low > 1 - options.min_effect &&
             result.equivalence_interval->high < 1 + options.min_effect) {
    result.verdict = Verdict::kEquivalent;
    result.confidence =
        one_sided_confidence(log, std::min(log.upper - log.drift - log.d, log.d - log.drift - log.lower));
  } else {
    result.verdict = Verdict::kInconclusive;
    result.confidence = one_sided_confidence(log, log.d > 0 ? above : below);
    result.processes_needed = processes_needed(log);
  }
  result.reason = reason_of(result);
}

}  // namespace

const char* verdict_name(Verdict verdict) { return kVerdicts.of(verdict); }

std::optional<Verdict> parse_verdict(std::string_view text) { return kVerdicts.parse(text); }

const char* severity_name(Severity severity) { return kSeverities.of(severity); }

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
  result.machine_differences = machine_differences(baseline.environment, test.environment,
                                                   baseline.device_kind == "gpu" && test.device_kind == "gpu");
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
      result.reason = what + "; --allow-different compares them all the same";
      result.remedy = result.machine_differences.empty()
                          ? "Measure the same work on both sides; or name --allow-different, where the difference is "
                            "what you want to try."
                          : "Measure both sides on one machine; or name --allow-different, to compare the machines.";
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
    return result;
  }
  const auto estimate = result.interleaved
                            ? paired_log_ratio(baseline.process_medians_ns, test.process_medians_ns, kVerdictConfidence)
                            : welch_log_ratio(baseline.process_medians_ns, test.process_medians_ns, kVerdictConfidence);
  if (!result.interleaved) {
    set_drift(baseline, test, options, result);
  }
  decide({.d = std::log(estimate->ratio),
          .standard_error = estimate->log_standard_error,
          .degrees = estimate->degrees_of_freedom,
          .drift = std::log1p(result.drift.value_or(0)),
          .upper = std::log1p(options.min_effect),
          .lower = std::log1p(-options.min_effect),
          .processes = std::max(result.baseline_processes, result.test_processes),
          .confidence = 1 - 2 * options.level},
         options, result);
  return result;
}

}  // namespace aaco
