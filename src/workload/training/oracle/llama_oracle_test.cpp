// SPDX-License-Identifier: MIT
// The oracle itself: against central differences, against what PyTorch gives, and where the loss is known.
#include "workload/training/oracle/llama_oracle.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "workload/training/oracle/test_oracle_data.h"

namespace aaco {
namespace {

using test::kOracleShape;

double norm_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) {
    sum += value * value;
  }
  return std::sqrt(sum);
}

void expect_central_differences(const OracleShape& shape) {
  const OracleBatch batch = test::oracle_batch(shape, 2, 7, 3);
  std::vector<OracleTensor> parameters = test::oracle_model(shape, 1);
  const auto loss = oracle_gradients(shape, batch, parameters);
  ASSERT_TRUE(loss.has_value()) << loss.error().message;
  const double step = 1e-5;
  for (size_t i = 0; i < parameters.size(); ++i) {
    std::vector<double>& values = parameters[i].values;
    const std::vector<double>& gradient = loss.value().gradients[i];
    ASSERT_EQ(gradient.size(), values.size());
    EXPECT_GT(norm_of(gradient), 1e-3) << parameters[i].name;
    const size_t stride = std::max<size_t>(1, values.size() / 12 | 1);  // odd: not the same column again and again
    for (size_t j = 0; j < values.size(); j += stride) {
      const double was = values[j];
      values[j] = was + step;
      const double above = oracle_gradients(shape, batch, parameters).value().loss;
      values[j] = was - step;
      const double below = oracle_gradients(shape, batch, parameters).value().loss;
      values[j] = was;
      EXPECT_NEAR(gradient[j], (above - below) / (2 * step), 1e-8) << parameters[i].name << " element " << j;
    }
  }
}

TEST(LlamaOracle, GradientsAreCentralDifferences) { expect_central_differences(kOracleShape); }

TEST(LlamaOracle, GradientsOfAHeadOfItsOwnAreToo) {
  OracleShape shape = kOracleShape;
  shape.tie_head = false;
  ASSERT_EQ(oracle_parameters(shape)->back().name, "head");
  expect_central_differences(shape);
}

TEST(LlamaOracle, SequencesDoNotSeeEachOther) {
  const std::vector<OracleTensor> parameters = test::oracle_model(kOracleShape, 1);
  const OracleBatch both = test::oracle_batch(kOracleShape, 2, 7, 3);
  OracleBatch first{
      1, 7, {both.inputs.begin(), both.inputs.begin() + 7}, {both.targets.begin(), both.targets.begin() + 7}};
  OracleBatch second{
      1, 7, {both.inputs.begin() + 7, both.inputs.end()}, {both.targets.begin() + 7, both.targets.end()}};
  const double apart = oracle_gradients(kOracleShape, first, parameters).value().loss +
                       oracle_gradients(kOracleShape, second, parameters).value().loss;
  EXPECT_NEAR(oracle_gradients(kOracleShape, both, parameters).value().loss, apart / 2, 1e-13);
}

TEST(LlamaOracle, WithoutEmbeddingEveryTokenIsAsLikely) {
  const std::vector<OracleTensor> parameters = oracle_parameters(kOracleShape).value();
  const auto loss = oracle_gradients(kOracleShape, test::oracle_batch(kOracleShape, 1, 5, 3), parameters);
  EXPECT_NEAR(loss.value().loss, std::log(13.0), 1e-14);
}

// Logits of the last norm's output, of length sqrt(hidden), with embeddings of 0.02 a component are normal with a
// variance of 0.0004 hidden: ln V + 0.0004 hidden / 2. The mean of the targets' logits over 64 positions is off by 0.02
// sqrt(hidden / 64), times three here; the head is the embedding, so that the token read is likelier than others, its
// logit being 0.02 hidden.
TEST(LlamaOracle, InitialLossIsThatOfGuessing) {
  const OracleShape shape{.vocabulary = 512, .hidden = 64, .layers = 2, .heads = 4, .kv_heads = 2, .inner = 96};
  std::vector<OracleTensor> parameters = oracle_parameters(shape).value();
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal(0, 0.02);
  for (OracleTensor& parameter : parameters) {
    const bool norm = parameter.shape.size() == 1;
    std::generate(parameter.values.begin(), parameter.values.end(), [&] { return norm ? 1 : normal(engine); });
  }
  const auto loss = oracle_gradients(shape, test::oracle_batch(shape, 4, 16, 3), parameters);
  ASSERT_TRUE(loss.has_value()) << loss.error().message;
  const double expected = std::log(512.0) + 0.0004 * 64 / 2;
  const double read_token = (std::exp(0.02 * 64) - 1) / 512;
  EXPECT_NEAR(loss.value().loss, expected + read_token, 3 * 0.02 * std::sqrt(64.0 / 64));
}

// An error message for each way in which the oracle can be asked for what it has not.
TEST(LlamaOracle, SaysWhatDoesNotFit) {
  const OracleBatch batch = test::oracle_batch(kOracleShape, 1, 3, 3);
  const std::vector<OracleTensor> parameters = test::oracle_model(kOracleShape, 1);
  const auto message = [](const OracleShape& shape, const OracleBatch& tokens,
                          const std::vector<OracleTensor>& tensors) {
    const auto loss = oracle_gradients(shape, tokens, tensors);
    return loss.has_value() ? "none" : loss.error().message;
  };
  EXPECT_EQ(message(kOracleShape, batch, parameters), "none");
  OracleShape shape = kOracleShape;
  shape.kv_heads = 4;
  EXPECT_EQ(message(shape, batch, parameters),
            "oracle: hidden 24, heads 6, kv_heads 4 do not divide into heads of an even size");
  shape.kv_heads = 0;
  EXPECT_EQ(message(shape, batch, parameters), "oracle: a size of the model is not positive");
  OracleBatch tokens = batch;
  tokens.targets[1] = 13;
  EXPECT_EQ(message(kOracleShape, tokens, parameters), "oracle: token 13 of a vocabulary of 13");
  tokens.targets.pop_back();
  EXPECT_EQ(message(kOracleShape, tokens, parameters), "oracle: 3 inputs and 2 targets, each must be 3");
  EXPECT_EQ(message(kOracleShape, OracleBatch{}, parameters), "oracle: a batch without tokens");
  std::vector<OracleTensor> tensors = parameters;
  tensors[2].values.pop_back();
  EXPECT_EQ(message(kOracleShape, batch, tensors),
            "oracle: parameter 2 is layers.0.q of 575 values, must be layers.0.q of 576");
  tensors.pop_back();
  EXPECT_EQ(message(kOracleShape, batch, tensors), "oracle: 19 parameters, the model has 20");
  tensors = parameters;
  tensors[0].values[0] = std::nan("");
  tokens = batch;
  tokens.inputs[0] = 0;
  EXPECT_EQ(message(kOracleShape, tokens, tensors), "oracle: the loss is not finite");
}

}  // namespace
}  // namespace aaco
