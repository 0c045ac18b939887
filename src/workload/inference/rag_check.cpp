// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "workload/inference/rag_stages.h"
#include "workload/layers/closeness.h"
#include "workload/layers/host_forward.h"

namespace aaco {

namespace {

// Indices of the k largest of a row, equal ones by their index.
std::vector<int32_t> largest_on_host(const std::vector<float>& values, int64_t row, int64_t cols, int64_t k) {
  std::vector<int32_t> order(static_cast<size_t>(cols));
  std::iota(order.begin(), order.end(), 0);
  const float* const first = values.data() + row * cols;
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return first[a] > first[b]; });
  order.resize(static_cast<size_t>(k));
  return order;
}

// `step`: what the indices of a row begin with, for each row before it.
Result<void> check_choice(const char* what, const std::vector<float>& values, int64_t cols,
                          const std::vector<int32_t>& chosen, int64_t k, int64_t step) {
  for (int64_t row = 0; row * cols < static_cast<int64_t>(values.size()); ++row) {
    const std::vector<int32_t> expected = largest_on_host(values, row, cols, k);
    for (int64_t i = 0; i < k; ++i) {
      const int64_t is = chosen[static_cast<size_t>(row * k + i)];
      const int64_t should_be = expected[static_cast<size_t>(i)] + row * step;
      if (is != should_be) {
        return Error{ErrorKind::kInvalid,
                     fmt::format("query {}: number {} of the {} is {}, should be {}", row, i, what, is, should_be),
                     "the device computes something else than asked for: check its health, then report it"};
      }
    }
  }
  return {};
}

Result<void> check_embedding(DeviceReader& reader, const RagModel& model, const RagShape& shape, const RagLane& lane) {
  AACO_ASSIGN(const std::vector<float> tokens, reader.floats(lane.queries.view(0, {shape.length, shape.hidden})));
  std::vector<double> sums(static_cast<size_t>(shape.hidden));
  for (size_t i = 0; i < tokens.size(); ++i) {
    sums[i % sums.size()] += tokens[i];
  }
  std::vector<float> row;
  for (const double sum : sums) {
    row.push_back(static_cast<float>(sum / static_cast<double>(shape.length)));
  }
  AACO_ASSIGN(row, forward_on_host(reader, model.embed_inner, row, true));
  AACO_ASSIGN(row, forward_on_host(reader, model.embed_outer, row, false));
  double squares = 0;
  for (const float value : row) {
    squares += static_cast<double>(value) * value;
  }
  for (float& value : row) {
    value = static_cast<float>(value * std::sqrt(static_cast<double>(row.size()) / squares));
  }
  AACO_ASSIGN(const std::vector<float> embedded, reader.floats(lane.embedded.view(0, {shape.embedding})));
  return expect_close("embedding of the first query", embedded, row, order_tolerance(shape.precision));
}

}  // namespace

Result<void> check_rag_lane(DeviceReader& reader, const RagModel& model, const RagShape& shape, const RagLane& lane) {
  AACO_TRY(check_embedding(reader, model, shape, lane));
  AACO_ASSIGN(const std::vector<float> scores, reader.floats(lane.scores));
  AACO_ASSIGN(const std::vector<int32_t> documents, reader.integers(lane.retrieved));
  AACO_TRY(check_choice("documents found", scores, shape.documents, documents, shape.retrieved, 0));
  AACO_ASSIGN(const std::vector<float> relevance, reader.floats(lane.relevance));
  AACO_ASSIGN(const std::vector<int32_t> picked, reader.integers(lane.picked));
  AACO_TRY(check_choice("documents picked", relevance, shape.retrieved, picked, shape.picked, shape.retrieved));
  AACO_ASSIGN(const std::vector<int32_t> tokens, reader.integers(lane.tokens));
  for (const int32_t token : tokens) {
    if (token < 0 || token >= shape.vocabulary) {
      return Error{ErrorKind::kInvalid, fmt::format("token {} of {} was generated", token, shape.vocabulary),
                   "the device computes something else than asked for: check its health, then report it"};
    }
  }
  return {};
}

}  // namespace aaco
