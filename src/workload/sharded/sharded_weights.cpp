// SPDX-License-Identifier: MIT
#include "workload/sharded/sharded_weights.h"

#include <algorithm>
#include <fmt/format.h>

namespace aaco {

namespace {

constexpr int64_t kAlignment = 64;  // elements, of every parameter and of every rank's part
constexpr size_t kGradSlots = 2;    // one is written while the other is reduced

int64_t round_up(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

class WeightsMaker {
 public:
  WeightsMaker(WorkloadBuilder& builder, const ShardedConfig& config)
      : builder_(builder),
        config_(config),
        plan_(plan_of(config)),
        parts_(config.shard_ranks()),
        layers_(static_cast<size_t>(plan_.layers)) {}

  ShardedWeights make() {
    add_unit("root", plan_.root, "");
    for (size_t i = 0; i < layers_; ++i) {
      add_unit(fmt::format("layers.{}", i), plan_.layer, fmt::format("layers.{}.", i));
    }
    allocate();
    for (size_t i = 0; i < weights_.units.size(); ++i) {
      point_parameters(i);
      initialise(i);
    }
    make_values();
    return std::move(weights_);
  }

 private:
  const UnitPlan& plan_of_unit(size_t unit) const { return unit == 0 ? plan_.root : plan_.layer; }

  void add_unit(const std::string& name, const UnitPlan& plan, const std::string& prefix) {
    const size_t number = weights_.units.size();
    ShardedUnit& unit = weights_.units.emplace_back();
    unit.name = name;
    for (const PlannedParameter& parameter : plan.parameters) {
      const int64_t elements = elements_of(parameter);
      int64_t offset = unit.used;
      for (const PlannedParameter::Part& part : parameter.parts) {
        weights_.named.push_back({prefix + part.name, number, offset, part.elements});
        offset += part.elements;
      }
      if (parameter.parts.empty()) {
        weights_.named.push_back({prefix + parameter.name, number, offset, elements});
      }
      unit.used += round_up(elements, kAlignment);
    }
    unit.elements = round_up(unit.used, kAlignment * parts_);
  }

  static int64_t elements_of(const PlannedParameter& parameter) {
    return Tensor{nullptr, Dtype::kF32, parameter.dims}.elements();
  }

  void allocate() {
    int64_t elements = 0;
    for (const ShardedUnit& unit : weights_.units) {
      elements += unit.elements / parts_;
    }
    const Dtype dtype = config_.llama.precision.dtype;
    weights_.masters = builder_.tensor(Dtype::kF32, {elements});
    weights_.values = dtype == Dtype::kF32 ? weights_.masters : builder_.tensor(dtype, {elements});
    weights_.grads = builder_.tensor(Dtype::kF32, {elements});
    weights_.first = builder_.tensor(Dtype::kF32, {elements});
    weights_.second = builder_.tensor(Dtype::kF32, {elements});
    int64_t first = 0;
    for (ShardedUnit& unit : weights_.units) {
      const int64_t part = unit.elements / parts_;
      unit.master = weights_.masters.view(first, {part});
      unit.value = weights_.values.view(first, {part});
      unit.grad = weights_.grads.view(first, {part});
      unit.first = weights_.first.view(first, {part});
      unit.second = weights_.second.view(first, {part});
      unit.whole_value = unit.value;
      unit.whole_grad = unit.grad;
      first += part;
    }
    if (parts_ > 1) {
      allocate_whole_values();
    }
    if (parts_ > 1 || config_.micro_steps > 1) {
      allocate_whole_grads();
    }
    if (parts_ > 1 && config_.micro_steps > 1) {
      const int64_t longest = std::max(weights_.units.front().elements, weights_.units.back().elements) / parts_;
      weights_.incoming = builder_.tensor(Dtype::kF32, {longest});
    }
  }

  std::vector<Tensor> make_slots(Dtype dtype, size_t count) {
    std::vector<Tensor> slots;
    for (size_t i = 0; i < count; ++i) {
      slots.push_back(builder_.tensor(dtype, {weights_.units.back().elements}));
    }
    return slots;
  }

  void allocate_whole_values() {
    const Dtype dtype = config_.llama.precision.dtype;
    weights_.value_slots = config_.limits_gathers ? static_cast<size_t>(config_.resident_layers()) : layers_;
    weights_.units.front().whole_value = builder_.tensor(dtype, {weights_.units.front().elements});
    const std::vector<Tensor> slots = make_slots(dtype, weights_.value_slots);
    for (size_t i = 0; i < layers_; ++i) {
      weights_.units[ShardedWeights::unit_of(i)].whole_value = slots[i % slots.size()];
    }
  }

  size_t grad_slots() const {
    if (parts_ == 1) {
      return 1;  // it is added up on the pass's own stream
    }
    return config_.overlaps_reduction ? std::min(kGradSlots, layers_) : layers_;
  }

  void allocate_whole_grads() {
    weights_.grad_slots = grad_slots();
    weights_.units.front().whole_grad = builder_.tensor(Dtype::kF32, {weights_.units.front().elements});
    const std::vector<Tensor> slots = make_slots(Dtype::kF32, weights_.grad_slots);
    for (size_t i = 0; i < layers_; ++i) {
      weights_.units[ShardedWeights::unit_of(i)].whole_grad = slots[i % slots.size()];
    }
  }

  void point_parameters(size_t number) {
    const ShardedUnit& unit = weights_.units[number];
    std::vector<Weight>& parameters = weights_.parameters.emplace_back();
    int64_t offset = 0;
    for (const PlannedParameter& parameter : plan_of_unit(number).parameters) {
      Weight& weight = parameters.emplace_back();
      const auto view = [&](const Tensor& whole) {
        return Tensor{whole.view(offset, {}).data, whole.dtype, parameter.dims};
      };
      weight.value = view(unit.whole_value);
      weight.grad = view(unit.whole_grad);
      if (parts_ == 1) {
        weight.master = view(unit.master);
      }
      offset += round_up(elements_of(parameter), kAlignment);
    }
  }

  // A whole unit is made where its gradients will be, and this rank keeps its part.
  void initialise(size_t number) {
    constexpr uint64_t kMostParameters = 64;  // of a unit
    Program& setup = builder_.setup();
    const ShardedUnit& unit = weights_.units[number];
    const Tensor& whole = parts_ > 1 ? unit.whole_grad : unit.master;
    uint64_t seed = (config_.llama.seed << 20) + number * kMostParameters;
    int64_t offset = 0;
    for (const PlannedParameter& parameter : plan_of_unit(number).parameters) {
      const int64_t elements = elements_of(parameter);
      void* const at = whole.view(offset, {}).data;
      if (parameter.range > 0) {
        setup.op(0, RandomArgs{at, elements, seed, -parameter.range, parameter.range, Dtype::kF32});
      } else {
        fill(whole, offset, parameter);
      }
      ++seed;
      offset += round_up(elements, kAlignment);
    }
    if (parts_ > 1) {
      const Tensor own = whole.view(config_.llama.rank % parts_ * unit.master.elements(), {unit.master.elements()});
      setup.copy(0, unit.master.data, own.data, static_cast<size_t>(own.bytes()));
      setup.set(0, whole.data, 0, static_cast<size_t>(whole.bytes()));
    }
  }

  void fill(const Tensor& whole, int64_t offset, const PlannedParameter& parameter) {
    Program& setup = builder_.setup();
    if (parameter.parts.empty()) {
      setup.op(0, FillArgs{whole.view(offset, {}).data, elements_of(parameter), parameter.constant, Dtype::kF32});
    }
    for (const PlannedParameter::Part& part : parameter.parts) {
      setup.op(0, FillArgs{whole.view(offset, {}).data, part.elements, part.constant, Dtype::kF32});
      offset += part.elements;
    }
  }

  void make_values() {
    if (weights_.values.data != weights_.masters.data) {
      UnaryArgs cast{weights_.masters.data, weights_.values.data, weights_.masters.elements()};
      cast.out_dtype = weights_.values.dtype;
      builder_.setup().op(0, cast);
    }
  }

  WorkloadBuilder& builder_;
  const ShardedConfig& config_;
  ModelPlan plan_;
  int64_t parts_;
  size_t layers_;
  ShardedWeights weights_;
};

}  // namespace

ShardedWeights make_sharded_weights(WorkloadBuilder& builder, const ShardedConfig& config) {
  return WeightsMaker(builder, config).make();
}

}  // namespace aaco
