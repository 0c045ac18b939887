// SPDX-License-Identifier: MIT
#include "workload/training/oracle/llama_oracle.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

#include "workload/training/oracle/tape.h"

namespace aaco {

namespace {

Error misuse(std::string what) { return {ErrorKind::kBug, "oracle: " + std::move(what), ""}; }

Result<void> check_shape(const OracleShape& shape) {
  for (const int64_t size : {shape.vocabulary, shape.hidden, shape.layers, shape.heads, shape.kv_heads, shape.inner}) {
    if (size < 1) {
      return misuse("a size of the model is not positive");
    }
  }
  if (shape.hidden % shape.heads != 0 || shape.hidden / shape.heads % 2 != 0 || shape.heads % shape.kv_heads != 0) {
    return misuse(fmt::format("hidden {}, heads {}, kv_heads {} do not divide into heads of an even size", shape.hidden,
                              shape.heads, shape.kv_heads));
  }
  return {};
}

Result<void> check_batch(const OracleShape& shape, const OracleBatch& batch) {
  if (batch.sequences < 1 || batch.length < 1) {
    return misuse("a batch without tokens");
  }
  const auto tokens = static_cast<size_t>(batch.sequences * batch.length);
  if (batch.inputs.size() != tokens || batch.targets.size() != tokens) {
    return misuse(
        fmt::format("{} inputs and {} targets, each must be {}", batch.inputs.size(), batch.targets.size(), tokens));
  }
  for (const std::vector<int32_t>* side : {&batch.inputs, &batch.targets}) {
    for (const int32_t token : *side) {
      if (token < 0 || token >= shape.vocabulary) {
        return misuse(fmt::format("token {} of a vocabulary of {}", token, shape.vocabulary));
      }
    }
  }
  return {};
}

Result<void> check_parameters(const OracleShape& shape, const std::vector<OracleTensor>& parameters) {
  AACO_ASSIGN(const std::vector<OracleTensor> wanted, oracle_parameters(shape));
  if (parameters.size() != wanted.size()) {
    return misuse(fmt::format("{} parameters, the model has {}", parameters.size(), wanted.size()));
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    const OracleTensor& is = parameters[i];
    if (is.name != wanted[i].name || is.shape != wanted[i].shape || is.values.size() != wanted[i].values.size()) {
      return misuse(fmt::format("parameter {} is {} of {} values, must be {} of {}", i, is.name, is.values.size(),
                                wanted[i].name, wanted[i].values.size()));
    }
  }
  return {};
}

// One forward pass, recorded. Activations are [tokens, width].
class Forward {
 public:
  Forward(const OracleShape& shape, const OracleBatch& batch, const std::vector<OracleTensor>& parameters)
      : shape_(shape), batch_(batch), tokens_(batch.sequences * batch.length) {
    for (const OracleTensor& parameter : parameters) {
      leaves_.push_back(tape_.leaf(parameter.shape, parameter.values));
      by_name_[parameter.name] = leaves_.back();
    }
  }

  Result<OracleLoss> run() {
    const TapeTensor embedding = by_name_.at("embedding");
    const TapeTensor head = shape_.tie_head ? embedding : by_name_.at("head");
    TapeTensor x = tape_.gather(embedding, {batch_.inputs.begin(), batch_.inputs.end()});
    for (int64_t layer = 0; layer < shape_.layers; ++layer) {
      const auto weight = [&](const char* name) { return by_name_.at(fmt::format("layers.{}.{}", layer, name)); };
      const TapeTensor h = norm(x, weight("norm1"));
      const TapeTensor q = tape_.product(h, weight("q"));
      const TapeTensor k = tape_.product(h, weight("k"));
      const TapeTensor v = tape_.product(h, weight("v"));
      x = tape_.add(x, tape_.product(attention(q, k, v), weight("o")));
      const TapeTensor g = norm(x, weight("norm2"));
      const TapeTensor gate = silu(tape_.product(g, weight("gate")));
      const TapeTensor gated = tape_.multiply(gate, tape_.product(g, weight("up")));
      x = tape_.add(x, tape_.product(gated, weight("down")));
    }
    x = norm(x, by_name_.at("norm"));
    const TapeTensor loss = cross_entropy(tape_.product(x, tape_.permute(head, {1, 0})));
    OracleLoss result;
    AACO_ASSIGN(result.gradients, tape_.gradients(loss, leaves_));
    result.loss = tape_.values(loss).front();
    if (!std::isfinite(result.loss)) {
      return misuse("the loss is not finite");
    }
    return result;
  }

 private:
  TapeTensor norm(TapeTensor x, TapeTensor weight) {
    const int64_t width = shape_.hidden;
    const TapeTensor mean = tape_.scale(tape_.sum(tape_.multiply(x, x), 1), 1 / static_cast<double>(width));
    const TapeTensor scale = tape_.power(tape_.shift(mean, shape_.epsilon), -0.5);
    const TapeTensor weights = tape_.repeat(tape_.reshape(weight, {1, width}), 0, tokens_);
    return tape_.multiply(tape_.multiply(x, tape_.repeat(scale, 1, width)), weights);
  }

  TapeTensor silu(TapeTensor x) {
    const TapeTensor sigmoid = tape_.power(tape_.shift(tape_.exponential(tape_.scale(x, -1)), 1), -1);
    return tape_.multiply(x, sigmoid);
  }

  // (x[2i], x[2i + 1]) -> (x[2i] cos - x[2i + 1] sin, x[2i + 1] cos + x[2i] sin).
  TapeTensor rotary(TapeTensor x) {
    const TapeShape shape = tape_.shape(x);
    const int64_t head_dim = shape_.hidden / shape_.heads;
    const int64_t elements = shape[0] * shape[1];
    std::vector<double> cosines;
    std::vector<double> sines;
    std::vector<int64_t> neighbours;
    for (int64_t element = 0; element < elements; ++element) {
      const int64_t position = element / shape[1] % batch_.length;
      const int64_t in_head = element % head_dim;  // the rows are whole heads
      const int64_t pair = in_head / 2;
      const double exponent = -2.0 * static_cast<double>(pair) / static_cast<double>(head_dim);
      const double angle = static_cast<double>(position) * std::pow(shape_.theta, exponent);
      cosines.push_back(std::cos(angle));
      sines.push_back(in_head % 2 == 0 ? -std::sin(angle) : std::sin(angle));
      neighbours.push_back(element ^ 1);
    }
    const TapeTensor swapped = tape_.reshape(tape_.gather(tape_.reshape(x, {elements, 1}), neighbours), shape);
    return tape_.add(tape_.multiply(x, tape_.leaf(shape, std::move(cosines))),
                     tape_.multiply(swapped, tape_.leaf(shape, std::move(sines))));
  }

  // [tokens, heads * head size] -> [sequences, heads, length, head size].
  TapeTensor split(TapeTensor x, int64_t heads) {
    const TapeTensor apart = tape_.reshape(x, {batch_.sequences, batch_.length, heads, shape_.hidden / shape_.heads});
    return tape_.permute(apart, {0, 2, 1, 3});
  }

  // [sequences, kv_heads, length, head size] -> [sequences, heads, length, head size].
  TapeTensor share(TapeTensor x) {
    const TapeShape& old = tape_.shape(x);
    const TapeShape one_each = {old[0], old[1], 1, old[2], old[3]};
    const TapeShape together = {old[0], shape_.heads, old[2], old[3]};
    return tape_.reshape(tape_.repeat(tape_.reshape(x, one_each), 2, shape_.heads / shape_.kv_heads), together);
  }

  TapeTensor attention(TapeTensor q, TapeTensor k, TapeTensor v) {
    const int64_t length = batch_.length;
    const TapeTensor queries = split(rotary(q), shape_.heads);
    const TapeTensor keys = share(split(rotary(k), shape_.kv_heads));
    const TapeTensor values = share(split(v, shape_.kv_heads));
    const double head_dim = static_cast<double>(shape_.hidden) / static_cast<double>(shape_.heads);
    const TapeTensor all =
        tape_.scale(tape_.product(queries, tape_.permute(keys, {0, 1, 3, 2})), 1 / std::sqrt(head_dim));
    std::vector<bool> later;
    for (int64_t pair = 0; pair < batch_.sequences * shape_.heads * length * length; ++pair) {
      later.push_back(pair % length > pair / length % length);
    }
    const TapeTensor scores = tape_.fill(all, later, -std::numeric_limits<double>::infinity());
    const TapeTensor weights = tape_.exponential(below_maximum(scores));
    const TapeTensor sums = tape_.repeat(tape_.sum(weights, 3), 3, length);
    const TapeTensor out = tape_.product(tape_.multiply(weights, tape_.power(sums, -1)), values);
    return tape_.reshape(tape_.permute(out, {0, 2, 1, 3}), {tokens_, shape_.hidden});
  }

  // Less the largest of each row, which is a constant: neither a softmax nor a cross-entropy depends on it.
  TapeTensor below_maximum(TapeTensor x) {
    const TapeShape shape = tape_.shape(x);
    std::vector<double> shifts = tape_.values(x);
    for (auto row = shifts.begin(); row != shifts.end(); row += shape.back()) {
      std::fill(row, row + shape.back(), -*std::max_element(row, row + shape.back()));
    }
    return tape_.add(x, tape_.leaf(shape, std::move(shifts)));
  }

  TapeTensor cross_entropy(TapeTensor logits) {
    const TapeTensor x = below_maximum(logits);
    std::vector<int64_t> places;
    for (int64_t token = 0; token < tokens_; ++token) {
      places.push_back(token * shape_.vocabulary + batch_.targets[static_cast<size_t>(token)]);
    }
    const TapeTensor chosen = tape_.gather(tape_.reshape(x, {tokens_ * shape_.vocabulary, 1}), places);
    const TapeTensor all = tape_.logarithm(tape_.sum(tape_.exponential(x), 1));
    const TapeTensor losses = tape_.add(all, tape_.scale(chosen, -1));
    return tape_.scale(tape_.sum(losses, 0), 1 / static_cast<double>(tokens_));
  }

  const OracleShape& shape_;
  const OracleBatch& batch_;
  int64_t tokens_;
  Tape tape_;
  std::vector<TapeTensor> leaves_;
  std::map<std::string, TapeTensor> by_name_;
};

}  // namespace

Result<std::vector<OracleTensor>> oracle_parameters(const OracleShape& shape) {
  AACO_TRY(check_shape(shape));
  const int64_t kv_width = shape.hidden / shape.heads * shape.kv_heads;
  std::vector<OracleTensor> parameters;
  const auto take = [&](std::string name, TapeShape sizes) {
    std::vector<double> zeros(tape_elements(sizes));
    parameters.push_back({std::move(name), std::move(sizes), std::move(zeros)});
  };
  take("embedding", {shape.vocabulary, shape.hidden});
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    const std::string prefix = fmt::format("layers.{}.", layer);
    take(prefix + "norm1", {shape.hidden});
    take(prefix + "q", {shape.hidden, shape.hidden});
    take(prefix + "k", {shape.hidden, kv_width});
    take(prefix + "v", {shape.hidden, kv_width});
    take(prefix + "o", {shape.hidden, shape.hidden});
    take(prefix + "norm2", {shape.hidden});
    take(prefix + "gate", {shape.hidden, shape.inner});
    take(prefix + "up", {shape.hidden, shape.inner});
    take(prefix + "down", {shape.inner, shape.hidden});
  }
  take("norm", {shape.hidden});
  if (!shape.tie_head) {
    take("head", {shape.vocabulary, shape.hidden});
  }
  return parameters;
}

Result<OracleLoss> oracle_gradients(const OracleShape& shape, const OracleBatch& batch,
                                    const std::vector<OracleTensor>& parameters) {
  AACO_TRY(check_parameters(shape, parameters));
  AACO_TRY(check_batch(shape, batch));
  return Forward(shape, batch, parameters).run();
}

}  // namespace aaco
