// SPDX-License-Identifier: MIT
#include "analysis/model_run/conclusions/bottleneck.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "analysis/model_run/conclusions/signals.h"
#include "base/format.h"

namespace aaco {

namespace {

// Sums of weights such as 0.05 are off by some 1e-17; a score that is meant to reach a bar must not miss it by that.
constexpr double kRounding = 1e-9;

ClassScore score_of(BottleneckClass bottleneck_class, const std::vector<Signal>& signals) {
  ClassScore score{bottleneck_class, 0, 0};
  double weights = 0;
  for (const Signal& signal : signals) {
    if (signal.bottleneck_class == bottleneck_class) {
      weights += signal.weight;
      score.coverage += signal.value ? signal.weight : 0;
      score.score += signal.value ? signal.weight * signal.strength : 0;
    }
  }
  if (weights > 0) {
    score.score = std::clamp(score.score / weights, 0.0, 1.0);
    score.coverage = std::clamp(score.coverage / weights, 0.0, 1.0);
  }
  return score;
}

std::string evidence_sentence(const Bottleneck& bottleneck) {
  std::string sentence;
  for (const Signal* signal : top_evidence(bottleneck)) {
    sentence += fmt::format("{}{} ({} = {:.3g}{})", sentence.empty() ? "" : "; ", signal->meaning, signal->name,
                            *signal->value, signal->unit == "1" ? "" : " " + signal->unit);
  }
  return sentence;
}

// Why the leading class's main signal is too weak to name it; empty where it is not, or there is none with data. By the
// value and not the strength, which on a GPU is also weighed by what the device waited.
std::string weak_main_signal(const Bottleneck& bottleneck) {
  const auto main_signal = std::ranges::find_if(bottleneck.signals, [&](const Signal& signal) {
    return signal.bottleneck_class == bottleneck.leading_class && signal.weight >= kMainWeight && signal.value;
  });
  if (main_signal == bottleneck.signals.end() ||
      ramp(*main_signal->value, main_signal->none_at, main_signal->full_at) >= kLeastMainStrength - kRounding) {
    return "";
  }
  const double least = main_signal->none_at + kLeastMainStrength * (main_signal->full_at - main_signal->none_at);
  return fmt::format("{}, which {} rests on, is {:.3g}, and {:.3g} is the least", main_signal->name,
                     word_of(bottleneck.leading_class), *main_signal->value, least);
}

}  // namespace

std::vector<const Signal*> top_evidence(const Bottleneck& bottleneck) {
  constexpr size_t kMost = 4;
  std::vector<const Signal*> evidence;
  for (const Signal& signal : bottleneck.signals) {
    if (signal.bottleneck_class == bottleneck.leading_class && signal.value && signal.strength > 0) {
      evidence.push_back(&signal);
    }
  }
  std::sort(evidence.begin(), evidence.end(), [](const Signal* a, const Signal* b) {
    return std::pair{b->weight * b->strength, a} < std::pair{a->weight * a->strength, b};
  });
  evidence.resize(std::min(evidence.size(), kMost));
  return evidence;
}

std::string bottleneck_words(BottleneckClass bottleneck_class) {
  return bottleneck_class == BottleneckClass::kCpuBound     ? "kept off the processors (cpu-bound)"
         : bottleneck_class == BottleneckClass::kQuotaBound ? "stopped by a CPU quota (quota-bound)"
                                                            : word_of(bottleneck_class);
}

Bottleneck classify(std::vector<Signal> signals) {
  Bottleneck result;
  result.signals = std::move(signals);
  for (const BottleneckClass bottleneck_class : kBottleneckClasses) {
    if (std::ranges::find(result.signals, bottleneck_class, &Signal::bottleneck_class) != result.signals.end()) {
      result.scores.push_back(score_of(bottleneck_class, result.signals));
    }
  }
  const auto lower = [](const ClassScore& a, const ClassScore& b) { return a.score < b.score; };
  const ClassScore first = *std::max_element(result.scores.begin(), result.scores.end(), lower);
  std::vector<ClassScore> others = result.scores;
  std::erase_if(others, [&](const ClassScore& score) { return score.bottleneck_class == first.bottleneck_class; });
  const ClassScore second = *std::max_element(others.begin(), others.end(), lower);
  result.leading_class = first.bottleneck_class;
  result.confidence = first.score;
  result.coverage = first.coverage;
  result.lead = first.score - second.score;
  result.bottleneck_class = BottleneckClass::kUndetermined;
  if (first.coverage < kFewestCoverage - kRounding) {
    result.reason = fmt::format(
        "of the evidence for any class too little was measured; the best supported has {}, and {} is the least",
        format_percent(first.coverage, 0), format_percent(kFewestCoverage, 0));
  } else if (first.score < kLeastScore - kRounding) {
    result.reason = fmt::format("no class has evidence enough: the highest score is {:.2f}, and {:.2f} is the least",
                                first.score, kLeastScore);
  } else if (std::string weak = weak_main_signal(result); !weak.empty()) {
    result.reason = std::move(weak);
  } else if (result.lead < kLeastLead - kRounding) {
    result.reason = fmt::format("{} ({:.2f}) and {} ({:.2f}) are closer than {:.2f}", word_of(first.bottleneck_class),
                                first.score, word_of(second.bottleneck_class), second.score, kLeastLead);
  } else {
    result.bottleneck_class = first.bottleneck_class;
    result.reason = evidence_sentence(result);
  }
  return result;
}

}  // namespace aaco
