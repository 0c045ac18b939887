// SPDX-License-Identifier: MIT
#include "kind/sharded/own_size_gate.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <set>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/max_or_nan.h"
#include "workload/checks/verify.h"
#include "workload/training/gates/own_size_gates.h"

namespace aaco {

AACO_JSON_FIELDS(OwnSizeResult, worst, where, tolerance, reference, kernels, seconds)

namespace {

constexpr int64_t kSteps = 3;  // the first may come before a capture
// AdamW's first steps go by the rate, whatever a gradient's size: where rounding turns a small one's sign, weights
// differ by twice that. A hundredth of the weights' 0.02 at most changes gradients less than bf16's rounding does.
constexpr double kRate = 1e-4;
// Each element is rounded to 8 bits before the link and behind the sum, as in a step in bf16.
constexpr double kBf16LinkTolerance = 2e-2;

int64_t part_number_of(const ShardedConfig& config) { return config.llama.rank % config.shard_ranks(); }

// Of the last step.
Result<GradientParts> read_gradients(const JoinedRank& joined, const ShardedTraining& training) {
  AACO_ASSIGN(const auto reader, make_device_reader(*joined.device));
  GradientParts gradients;
  gradients.named = training.weights.named;
  gradients.part_number = part_number_of(training.config);
  for (const ShardedUnit& unit : training.weights.units) {
    gradients.unit_parts.push_back(unit.grad.elements());
    AACO_ASSIGN(gradients.values.emplace_back(), reader->floats(unit.grad));
  }
  return gradients;
}

Result<void> train(PreparedRank& prepared, DispatchMode mode) {
  int64_t done = 0;
  AACO_ASSIGN(const auto dispatcher, make_rank_dispatcher(prepared, mode, done));
  for (; done < kSteps; ++done) {
    AACO_TRY(dispatcher->enqueue());
  }
  return synchronize(prepared.target);
}

Result<GradientParts> train_alone(const JoinedRank& joined, const ShardedConfig& config) {
  ShardedConfig alone = config;
  alone.llama = reference_config(config.llama);
  alone.llama.sequences *= config.llama.ranks;
  alone.llama.ranks = 1;
  alone.llama.rank = 0;
  alone.reduce_dtype = Dtype::kF32;
  alone.shard_group = 0;
  alone.stress_cycles = 0;
  JoinedRank single;
  single.device = joined.device;
  AACO_ASSIGN(const auto prepared, prepare_rank(single, alone));
  AACO_TRY(train(*prepared, DispatchMode::kSingle));
  return read_gradients(single, prepared->training);
}

Result<GradientParts> train_on_ranks(const JoinedRank& joined, const ShardedConfig& config, DispatchMode mode,
                                     ExecutedKernels& kernels) {
  {  // the library tries several algorithms for a new product, of which one is taken
    AACO_ASSIGN(const auto first, prepare_rank(joined, config));
    AACO_TRY(train(*first, DispatchMode::kSingle));
  }
  AACO_ASSIGN(const auto prepared, prepare_rank(joined, config));
  kernels.begin();
  AACO_TRY(train(*prepared, mode));
  return read_gradients(joined, prepared->training);
}

const NamedPlace* find_place(const std::vector<NamedPlace>& named, const std::string& name) {
  const auto place =
      std::find_if(named.begin(), named.end(), [&](const NamedPlace& each) { return each.name == name; });
  return place == named.end() ? nullptr : &*place;
}

}  // namespace

ShardedConfig own_step_config(const ShardedConfig& run, bool on_host) {
  ShardedConfig config = run;
  config.llama = own_step_config(run.llama, on_host);
  config.llama.rank = run.llama.rank;
  config.llama.ranks = run.llama.ranks;
  config.llama.learnable = true;
  config.llama.rate = kRate;
  config.decay_steps = 0;
  return config;
}

WorstGradient worst_gradient(const GradientParts& part, const GradientParts& whole) {
  WorstGradient worst{0, ""};
  for (const NamedPlace& place : part.named) {
    const NamedPlace* const all = find_place(whole.named, place.name);
    const int64_t elements = part.unit_parts[place.unit];
    const int64_t begin = part.part_number * elements;
    const int64_t first = std::max(place.offset, begin);
    const int64_t last = std::min(place.offset + place.elements, begin + elements);
    if (all == nullptr || first >= last) {
      continue;
    }
    double difference = 0;
    double magnitude = 0;
    for (int64_t i = first; i < last; ++i) {
      const double actual = part.values[place.unit][static_cast<size_t>(i - begin)];
      const double expected = whole.values[all->unit][static_cast<size_t>(all->offset + i - place.offset)];
      difference += (actual - expected) * (actual - expected);
      magnitude += expected * expected;
    }
    // Where all are exactly 0, as in rows of tokens that no batch has, ours must be too.
    const double error = difference == 0 ? 0 : std::sqrt(difference / magnitude);
    worst.name = worst.name.empty() || (!std::isnan(worst.error) && !(error <= worst.error)) ? place.name : worst.name;
    worst.error = max_or_nan(worst.error, error);
  }
  return worst.name.empty() ? WorstGradient{std::numeric_limits<double>::infinity(), "no parameter"} : worst;
}

Result<OwnSizeResult> check_own_size(const JoinedRank& joined, const ShardedConfig& config, DispatchMode mode,
                                     ExecutedKernels& kernels) {
  const int64_t start_ns = monotonic_ns();
  const ShardedConfig own = own_step_config(config, joined.device->properties().wave_lanes == 1);
  AACO_ASSIGN(const GradientParts expected, train_alone(joined, own));
  AACO_ASSIGN(const GradientParts actual, train_on_ranks(joined, own, mode, kernels));
  OwnSizeResult result;
  result.kernels = kernels.take();
  result.reference = "one process: " + reference_name(reference_config(own.llama));
  result.tolerance = std::max(gradient_tolerance(own.llama), own.reduce_dtype == Dtype::kBf16 ? kBf16LinkTolerance : 0);
  const WorstGradient worst = worst_gradient(actual, expected);
  result.worst = std::isfinite(worst.error) ? std::optional(worst.error) : std::nullopt;
  result.where = worst.name;
  result.seconds = static_cast<double>(monotonic_ns() - start_ns) / 1e9;
  return result;
}

TrainingGate own_size_gate(std::span<const OwnSizeResult> ranks) {
  TrainingGate gate;
  gate.name = "gradients at the run's size, precision and dispatch";
  const auto error_of = [](const OwnSizeResult& rank) {
    return rank.worst.value_or(std::numeric_limits<double>::infinity());
  };
  const auto worst = std::max_element(ranks.begin(), ranks.end(),
                                      [&](const auto& a, const auto& b) { return error_of(a) < error_of(b); });
  std::set<std::string> kernels;
  bool recorded = true;
  for (const OwnSizeResult& rank : ranks) {
    recorded = recorded && rank.kernels;
    if (rank.kernels) {
      kernels.insert(rank.kernels->begin(), rank.kernels->end());
    }
    gate.seconds = std::max(gate.seconds.value_or(0), rank.seconds);
  }
  gate.passed = error_of(*worst) <= worst->tolerance;
  const std::string place = fmt::format("of {} on rank {}", worst->where, worst - ranks.begin());
  gate.found =
      worst->worst ? fmt::format("largest relative error {:.2g}, {}", *worst->worst, place) : "no number, " + place;
  gate.must = fmt::format("at most {:.0e}", worst->tolerance);
  gate.against = worst->reference;
  if (recorded) {
    gate.kernels.emplace(kernels.begin(), kernels.end());
  }
  return gate;
}

}  // namespace aaco
