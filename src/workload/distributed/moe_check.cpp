// SPDX-License-Identifier: MIT
#include "workload/distributed/moe_check.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "workload/layers/closeness.h"

namespace aaco::workloads {

namespace {

Error wrong(std::string message) {
  return {ErrorKind::kInvalid, "moe: " + std::move(message),
          "the device computes something else than asked for: check its health, then report it"};
}

Tensor slice(const Tensor& stacked, int64_t index, int64_t rows) {
  const int64_t elements = stacked.elements() / stacked.dims.front();
  return stacked.view(index * elements, {rows, elements / rows});
}

std::vector<double> product(const std::vector<double>& row, const std::vector<float>& matrix,
                            const std::vector<float>& bias) {
  std::vector<double> sums(bias.begin(), bias.end());
  for (size_t i = 0; i < matrix.size(); ++i) {
    sums[i % bias.size()] += row[i / bias.size()] * static_cast<double>(matrix[i]);
  }
  return sums;
}

// What expert `index` of a rank makes of a row.
Result<std::vector<double>> expert_output(DeviceReader& reader, const ExpertWeights& weights, int64_t index,
                                          const std::vector<float>& row) {
  const int64_t hidden = weights.up.cols();
  const int64_t cols = weights.down.cols();
  AACO_ASSIGN(const std::vector<float> up, reader.floats(slice(weights.up, index, cols)));
  AACO_ASSIGN(const std::vector<float> up_bias, reader.floats(slice(weights.up_bias, index, 1)));
  AACO_ASSIGN(const std::vector<float> down, reader.floats(slice(weights.down, index, hidden)));
  AACO_ASSIGN(const std::vector<float> down_bias, reader.floats(slice(weights.down_bias, index, 1)));
  std::vector<double> inside = product({row.begin(), row.end()}, up, up_bias);
  for (double& x : inside) {
    x = 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
  }
  return product(inside, down, down_bias);
}

struct Visit {
  int64_t token = -1;  // whose row the expert is given; -1: a row of zeros
  int64_t expert = 0;  // of all ranks'
};

// What comes back for a place. With emulated ranks it is what this rank's own experts make of the tokens that it would
// send to itself: every rank is taken to send the same.
Visit visit_of(const MoeLayout& moe, const std::vector<int32_t>& token_of, int64_t place, int64_t expert) {
  if (!moe.emulated) {
    return {token_of[static_cast<size_t>(place)], expert};
  }
  const int64_t block = place / moe.capacity % moe.experts_here;
  return {token_of[static_cast<size_t>(block * moe.capacity + place % moe.capacity)], block};
}

Result<std::vector<float>> combined(DeviceReader& reader, const MoeLayout& moe, const std::vector<int32_t>& place_of,
                                    const std::vector<int32_t>& token_of, int64_t token) {
  const int64_t choices = moe.chosen.cols();
  const int64_t cols = moe.tokens.cols();
  AACO_ASSIGN(const std::vector<int32_t> chosen, reader.integers(moe.chosen.view(token * choices, {choices})));
  AACO_ASSIGN(const std::vector<float> weights, reader.floats(moe.weights.view(token * choices, {choices})));
  std::vector<double> sum(static_cast<size_t>(cols));
  for (int64_t choice = 0; choice < choices; ++choice) {
    Visit visit{token, chosen[static_cast<size_t>(choice)]};
    if (!place_of.empty()) {
      const int32_t place = place_of[static_cast<size_t>(token * choices + choice)];
      if (place < 0) {
        continue;  // dropped
      }
      visit = visit_of(moe, token_of, place, visit.expert);
    }
    std::vector<float> row(static_cast<size_t>(cols));
    if (visit.token >= 0) {
      AACO_ASSIGN(row, reader.floats(moe.tokens.view(visit.token * cols, {cols})));
    }
    const ExpertWeights& experts = moe.experts[static_cast<size_t>(visit.expert / moe.experts_here)];
    AACO_ASSIGN(const std::vector<double> expected,
                expert_output(reader, experts, visit.expert % moe.experts_here, row));
    for (size_t i = 0; i < sum.size(); ++i) {
      sum[i] += static_cast<double>(weights[static_cast<size_t>(choice)]) * expected[i];
    }
  }
  return std::vector<float>(sum.begin(), sum.end());
}

}  // namespace

Result<void> check_routing(DeviceReader& reader, const MoeLayout& moe) {
  AACO_ASSIGN(const std::vector<float> logits, reader.floats(moe.logits));
  AACO_ASSIGN(const std::vector<int32_t> chosen, reader.integers(moe.chosen));
  const auto experts = static_cast<size_t>(moe.logits.cols());
  const auto choices = static_cast<size_t>(moe.chosen.cols());
  for (size_t token = 0; token < chosen.size() / choices; ++token) {
    const float* scores = logits.data() + token * experts;
    const auto least = static_cast<size_t>(chosen[(token + 1) * choices - 1]);
    const auto better = std::count_if(scores, scores + experts, [&](float score) { return score > scores[least]; });
    if (static_cast<size_t>(better) > choices - 1) {
      return wrong(fmt::format("token {} goes to expert {}, and {} others score higher", token, least, better));
    }
  }
  if (moe.place_of.data == nullptr) {
    return {};
  }
  AACO_ASSIGN(const std::vector<int32_t> places, reader.integers(moe.place_of));
  AACO_ASSIGN(const std::vector<int32_t> tokens, reader.integers(moe.token_of));
  AACO_ASSIGN(const std::vector<int32_t> counts, reader.integers(moe.counts));
  for (size_t pair = 0; pair < places.size(); ++pair) {
    if (places[pair] >= 0 && tokens[static_cast<size_t>(places[pair])] != static_cast<int32_t>(pair / choices)) {
      return wrong(fmt::format("place {} is token {}'s, and holds token {}", places[pair], pair / choices,
                               tokens[static_cast<size_t>(places[pair])]));
    }
  }
  const auto dropped = std::count(places.begin(), places.end(), -1);
  const int64_t total = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  if (total + dropped != static_cast<int64_t>(places.size())) {
    return wrong(fmt::format("{} choices: the experts took {}, and {} were dropped", places.size(), total, dropped));
  }
  return {};
}

Result<void> check_outputs(DeviceReader& reader, const MoeLayout& moe) {
  std::vector<int32_t> place_of;
  std::vector<int32_t> token_of;
  if (moe.place_of.data != nullptr) {
    AACO_ASSIGN(place_of, reader.integers(moe.place_of));
    AACO_ASSIGN(token_of, reader.integers(moe.token_of));
  }
  const int64_t tokens = moe.tokens.rows();
  for (const int64_t token : {int64_t{0}, tokens / 2, tokens - 1}) {
    AACO_ASSIGN(const std::vector<float> should_be, combined(reader, moe, place_of, token_of, token));
    const int64_t cols = moe.out.cols();
    AACO_ASSIGN(const std::vector<float> is, reader.floats(moe.out.view(token * cols, {cols})));
    AACO_TRY(expect_close(fmt::format("moe: token {}'s output, against its experts on the host", token), is, should_be,
                          order_tolerance(moe.precision)));
  }
  return {};
}

}  // namespace aaco::workloads
