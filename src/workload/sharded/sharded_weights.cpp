// SPDX-License-Identifier: MIT
#include "workload/sharded/sharded_weights.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace aaco {

namespace {

constexpr double kDeviation = 0.02;
constexpr int64_t kAlignment = 64;  // elements, of every parameter and of every rank's part
constexpr size_t kGradSlots = 2;    // one is written while the other is reduced

int64_t round_up(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// A parameter within its unit.
struct Place {
  int64_t offset = 0;
  std::vector<int64_t> dims;
  int64_t elements() const { return Tensor{nullptr, Dtype::kF32, dims}.elements(); }
};

class UnitLayout {
 public:
  Place take(std::vector<int64_t> dims) {
    Place place{used_, std::move(dims)};
    used_ += round_up(place.elements(), kAlignment);
    return place;
  }
  int64_t used() const { return used_; }

 private:
  int64_t used_ = 0;
};

struct LayerPlaces {
  Place norm1, qkv, o, norm2, gate_up, down;
};

class WeightsMaker {
 public:
  WeightsMaker(WorkloadBuilder& builder, const ShardedConfig& config)
      : builder_(builder),
        config_(config),
        shape_(config.llama.shape),
        parts_(config.shards() ? config.llama.ranks : 1) {}

  ShardedWeights make() {
    lay_out();
    allocate();
    point_llama();
    initialise();
    return std::move(weights_);
  }

 private:
  void lay_out() {
    UnitLayout root;
    embedding_ = root.take({shape_.vocabulary, shape_.hidden});
    norm_ = root.take({shape_.hidden});
    add_unit("root", root.used());
    name("embedding", 0, embedding_, 0, embedding_.elements());
    UnitLayout layer;
    places_.norm1 = layer.take({shape_.hidden});
    places_.qkv = layer.take({shape_.qkv_width(), shape_.hidden});
    places_.o = layer.take({shape_.hidden, shape_.hidden});
    places_.norm2 = layer.take({shape_.hidden});
    places_.gate_up = layer.take({2 * shape_.inner, shape_.hidden});
    places_.down = layer.take({shape_.hidden, shape_.inner});
    for (int64_t i = 0; i < shape_.layers; ++i) {
      add_unit(fmt::format("layers.{}", i), layer.used());
      name_layer(i);
    }
    name("norm", 0, norm_, 0, norm_.elements());
  }

  void add_unit(std::string unit, int64_t used) {
    ShardedUnit& added = weights_.units.emplace_back();
    added.name = std::move(unit);
    added.used = used;
    added.elements = round_up(used, kAlignment * parts_);
  }

  void name(std::string parameter, size_t unit, const Place& place, int64_t offset, int64_t elements) {
    weights_.named.push_back({std::move(parameter), unit, place.offset + offset, elements});
  }

  void name_layer(int64_t layer) {
    const int64_t hidden = shape_.hidden;
    const int64_t kv = shape_.kv_width();
    const auto add = [&](const char* parameter, const Place& place, int64_t offset, int64_t elements) {
      name(fmt::format("layers.{}.{}", layer, parameter), ShardedWeights::unit_of(static_cast<size_t>(layer)), place,
           offset, elements);
    };
    add("norm1", places_.norm1, 0, hidden);
    add("q", places_.qkv, 0, hidden * hidden);
    add("k", places_.qkv, hidden * hidden, kv * hidden);
    add("v", places_.qkv, (hidden + kv) * hidden, kv * hidden);
    add("o", places_.o, 0, hidden * hidden);
    add("norm2", places_.norm2, 0, hidden);
    add("gate", places_.gate_up, 0, shape_.inner * hidden);
    add("up", places_.gate_up, shape_.inner * hidden, shape_.inner * hidden);
    add("down", places_.down, 0, hidden * shape_.inner);
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
    const auto layers = static_cast<size_t>(shape_.layers);
    const size_t ahead = static_cast<size_t>(config_.prefetch) + 1;
    weights_.value_slots = config_.reshard_after_forward ? std::min(ahead, layers) : layers;
    weights_.units.front().whole_value = builder_.tensor(dtype, {weights_.units.front().elements});
    const std::vector<Tensor> slots = make_slots(dtype, weights_.value_slots);
    for (size_t i = 0; i < layers; ++i) {
      weights_.units[ShardedWeights::unit_of(i)].whole_value = slots[i % slots.size()];
    }
  }

  // Where nothing is reduced behind the backward pass, one slot does: it is added up on the pass's own stream.
  void allocate_whole_grads() {
    const auto layers = static_cast<size_t>(shape_.layers);
    weights_.grad_slots = parts_ > 1 ? std::min(kGradSlots, layers) : 1;
    weights_.units.front().whole_grad = builder_.tensor(Dtype::kF32, {weights_.units.front().elements});
    const std::vector<Tensor> slots = make_slots(Dtype::kF32, weights_.grad_slots);
    for (size_t i = 0; i < layers; ++i) {
      weights_.units[ShardedWeights::unit_of(i)].whole_grad = slots[i % slots.size()];
    }
  }

  Weight weight(const ShardedUnit& unit, const Place& place) const {
    Weight made;
    made.value = {unit.whole_value.view(place.offset, {}).data, unit.whole_value.dtype, place.dims};
    made.grad = {unit.whole_grad.view(place.offset, {}).data, Dtype::kF32, place.dims};
    if (parts_ == 1) {
      made.master = {unit.master.view(place.offset, {}).data, Dtype::kF32, place.dims};
    }
    return made;
  }

  void point_llama() {
    const int64_t hidden = shape_.hidden;
    const int64_t kv = shape_.kv_width();
    LlamaWeights& llama = weights_.llama;
    llama.embedding = weight(weights_.units.front(), embedding_);
    llama.norm = weight(weights_.units.front(), norm_);
    for (size_t i = 0; i < static_cast<size_t>(shape_.layers); ++i) {
      const ShardedUnit& unit = weights_.units[ShardedWeights::unit_of(i)];
      LlamaLayerWeights& layer = llama.layers.emplace_back();
      layer.norm1 = weight(unit, places_.norm1);
      layer.qkv = weight(unit, places_.qkv);
      layer.q = layer.qkv.part(0, {hidden, hidden});
      layer.k = layer.qkv.part(hidden * hidden, {kv, hidden});
      layer.v = layer.qkv.part((hidden + kv) * hidden, {kv, hidden});
      layer.o = weight(unit, places_.o);
      layer.norm2 = weight(unit, places_.norm2);
      layer.gate_up = weight(unit, places_.gate_up);
      layer.gate = layer.gate_up.part(0, {shape_.inner, hidden});
      layer.up = layer.gate_up.part(shape_.inner * hidden, {shape_.inner, hidden});
      layer.down = weight(unit, places_.down);
    }
    llama.values = weights_.values;
    llama.masters = weights_.masters;
    llama.grads = weights_.grads;
    llama.first = weights_.first;
    llama.second = weights_.second;
    llama.layer_ranges.resize(llama.layers.size());
  }

  // A whole unit is made where its gradients will be, and this rank keeps its part.
  void initialise() {
    Program& setup = builder_.setup();
    const double range = kDeviation * std::sqrt(3.0);
    for (size_t i = 0; i < weights_.units.size(); ++i) {
      const ShardedUnit& unit = weights_.units[i];
      const Tensor& whole = parts_ > 1 ? unit.whole_grad : unit.master;
      setup.op(0, RandomArgs{whole.data, unit.used, (config_.llama.seed << 20) + i, -range, range, Dtype::kF32});
      if (i == 0) {
        fill_with_ones(whole, norm_);
      } else {
        fill_with_ones(whole, places_.norm1);
        fill_with_ones(whole, places_.norm2);
      }
      if (parts_ > 1) {
        const Tensor own = whole.view(config_.llama.rank * unit.master.elements(), {unit.master.elements()});
        setup.copy(0, unit.master.data, own.data, static_cast<size_t>(own.bytes()));
        setup.set(0, whole.data, 0, static_cast<size_t>(whole.bytes()));
      }
    }
    if (weights_.values.data != weights_.masters.data) {
      UnaryArgs cast{weights_.masters.data, weights_.values.data, weights_.masters.elements()};
      cast.out_dtype = weights_.values.dtype;
      setup.op(0, cast);
    }
  }

  void fill_with_ones(const Tensor& whole, const Place& place) {
    builder_.setup().op(0, FillArgs{whole.view(place.offset, {}).data, place.elements(), 1, Dtype::kF32});
  }

  WorkloadBuilder& builder_;
  const ShardedConfig& config_;
  const LlamaShape& shape_;
  int64_t parts_;
  Place embedding_;
  Place norm_;
  LayerPlaces places_;
  ShardedWeights weights_;
};

}  // namespace

ShardedWeights make_sharded_weights(WorkloadBuilder& builder, const ShardedConfig& config) {
  return WeightsMaker(builder, config).make();
}

}  // namespace aaco
