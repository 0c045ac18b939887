// SPDX-License-Identifier: MIT
#include "model/decoder/decoder_ports.h"

#include <gtest/gtest.h>

#include "model/test_port.h"

namespace aaco {
namespace {

using test::port;

const PortInfo kIds = port("input_ids", ElementType::kInt64, {-1, -1}, {"batch_size", "sequence_length"});
const PortInfo kCache =
    port("past_key_values.0.key", ElementType::kFloat, {-1, 2, -1, 8}, {"batch_size", "", "past_sequence_length", ""});

std::vector<PortInfo> outputs(const std::string& present = "present.0.key") {
  return {port("logits", ElementType::kFloat, {-1, -1, 9}), port(present, ElementType::kFloat, {-1, 2, -1, 8})};
}

// The error where `more` is an input beside tokens and cache; "" where there is none.
std::string refusal(const PortInfo& more) {
  const auto ports = find_decoder_ports({kIds, kCache, more}, outputs());
  return ports ? "" : ports.error().message;
}

std::vector<double> values(const PortInfo& more, const DecoderStep& step, const std::vector<int64_t>& tokens = {}) {
  const auto ports = find_decoder_ports({kIds, kCache, more}, outputs());
  EXPECT_TRUE(ports) << ports.error().message;
  const auto tensor = decoder_tensor(ports->inputs.back(), step, tokens);
  EXPECT_TRUE(tensor) << tensor.error().message;
  EXPECT_EQ(tensor->type, more.type);
  std::vector<double> fed;
  for (int64_t i = 0; i < element_count(tensor->dims).value_or(0); ++i) {
    fed.push_back(element_as_double(*tensor, i).value_or(-1));
  }
  return fed;
}

using Doubles = std::vector<double>;

TEST(DecoderPorts, WhatIsMissingIsNamed) {
  const auto missing = [](const std::vector<PortInfo>& inputs, const std::vector<PortInfo>& given) {
    const auto ports = find_decoder_ports(inputs, given);
    return ports ? std::string() : ports.error().message;
  };
  const PortInfo logits = outputs().front();
  EXPECT_EQ(missing({}, {}), "--tokens: the model has no input named input_ids");
  EXPECT_EQ(missing({kIds}, {}), "--tokens: the model has no output named logits");
  EXPECT_EQ(missing({kIds}, {logits}), "--tokens: the model has no inputs named past_key_values.*");
  EXPECT_EQ(missing({kIds, kCache}, {logits}), "--tokens: the model has no output named present.0.key");
  EXPECT_EQ(missing({kIds, kCache}, outputs()), "");
}

TEST(DecoderTensor, HasTheDeclaredType) {
  const DecoderStep step{2, 3, 2};
  for (const ElementType type : {ElementType::kInt32, ElementType::kInt64, ElementType::kFloat, ElementType::kFloat16,
                                 ElementType::kBfloat16, ElementType::kBool}) {
    EXPECT_EQ(values(port("attention_mask", type, {-1, -1}, {"b", "total"}), step), Doubles(10, 1))
        << element_name(type);
  }
  EXPECT_EQ(values(port("position_ids", ElementType::kInt32, {-1, -1}, {"b", "s"}), step), (Doubles{3, 4, 3, 4}));
  EXPECT_EQ(values(port("cache_position", ElementType::kInt64, {-1}, {"s"}), step), (Doubles{3, 4}));
  EXPECT_EQ(values(port("past_sequence_length", ElementType::kInt32, {}), step), Doubles{3});
  EXPECT_EQ(values(port("total_sequence_length", ElementType::kInt64, {1}), step), Doubles{5});
  EXPECT_EQ(values(port("seqlens_k", ElementType::kInt32, {-1}, {"b"}), step), (Doubles{4, 4}));
}

TEST(DecoderTensor, TokensOfAnyInteger) {
  const auto ports = find_decoder_ports(
      {port("input_ids", ElementType::kInt32, {-1, -1}, {"batch_size", "sequence_length"}), kCache}, outputs());
  ASSERT_TRUE(ports) << ports.error().message;
  const auto tensor = decoder_tensor(ports->inputs[0], {1, 0, 3}, {7, 8, 70000});
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_EQ(tensor->data.size(), 12);
  EXPECT_EQ(element_as_double(*tensor, 2), 70000);
}

// A merged decoder has two branches: without a cache for the prompt, with one for what follows.
TEST(DecoderTensor, TheCacheBranchIsTakenOnceThereIsACache) {
  const PortInfo branch = port("use_cache_branch", ElementType::kBool, {1});
  EXPECT_EQ(values(branch, {2, 0, 4}), Doubles{0});
  EXPECT_EQ(values(branch, {2, 4, 1}), Doubles{1});
}

TEST(DecoderTensor, AnEmptyCacheHasTheDeclaredTypeAndHeads) {
  PortInfo half = kCache;
  half.type = ElementType::kFloat16;
  const auto ports = find_decoder_ports({kIds, half}, outputs());
  ASSERT_TRUE(ports) << ports.error().message;
  const auto tensor = decoder_tensor(ports->inputs[1], {3, 0, 4}, {});
  ASSERT_TRUE(tensor) << tensor.error().message;
  EXPECT_EQ(tensor->type, ElementType::kFloat16);
  EXPECT_EQ(tensor->dims, (std::vector<int64_t>{3, 2, 0, 8}));
}

// The cross attention's cache does not grow: it is fed back after the prompt's run, and after no other.
TEST(DecoderPorts, TheEncodersCacheIsApart) {
  PortInfo encoder = kCache;
  encoder.name = "past_key_values.0.encoder.key";
  encoder.dim_names[2] = "encoder_sequence_length";
  std::vector<PortInfo> given = outputs();
  given.push_back(port("present.0.encoder.key", ElementType::kFloat, {-1, 2, -1, 8}));
  const auto ports = find_decoder_ports({kIds, kCache, encoder}, given);
  ASSERT_TRUE(ports) << ports.error().message;
  EXPECT_EQ(ports->present_to_past.size(), 1);
  EXPECT_EQ(ports->encoder_present_to_past.at("present.0.encoder.key"), "past_key_values.0.encoder.key");
}

TEST(DecoderPorts, InputsOfTheEncoderStayAsTheyAre) {
  const auto ports = find_decoder_ports(
      {kIds, kCache,
       port("encoder_hidden_states", ElementType::kFloat, {-1, -1, 16}, {"batch_size", "encoder_sequence_length", ""})},
      outputs());
  ASSERT_TRUE(ports) << ports.error().message;
  EXPECT_EQ(ports->inputs[2].role, DecoderRole::kFixed);
}

TEST(DecoderPorts, WhatCannotBeFedIsNamedWithTheReason) {
  EXPECT_EQ(refusal(port("inputs_embeds", ElementType::kFloat, {-1, -1, 16}, {"batch_size", "sequence_length", ""})),
            "--tokens: aaco cannot feed input inputs_embeds: it grows with the tokens, and aaco does not know what it "
            "holds");
  EXPECT_EQ(refusal(port("attention_mask", ElementType::kFloat, {-1, 1, -1, -1})),
            "--tokens: aaco cannot feed input attention_mask: it has 4 dimensions, where aaco feeds [batch, cached and "
            "new tokens]");
  EXPECT_EQ(refusal(port("position_ids", ElementType::kFloat, {-1, -1})),
            "--tokens: aaco cannot feed input position_ids: it is float32, where aaco feeds integers");
  PortInfo fixed = kCache;
  fixed.dims = {1, 2, 64, 8};
  const auto ports = find_decoder_ports({kIds, fixed}, outputs());
  ASSERT_FALSE(ports);
  EXPECT_NE(ports.error().message.find("input past_key_values.0.key: it has no one open axis"), std::string::npos);
}

TEST(DecoderTensor, AFixedLengthIsNamed) {
  const DecoderInput decoder_input{port("input_ids", ElementType::kInt64, {-1, 1}), DecoderRole::kTokens};
  const auto tensor = decoder_tensor(decoder_input, {1, 0, 8}, {});
  ASSERT_FALSE(tensor);
  EXPECT_EQ(tensor.error().message,
            "--tokens: aaco cannot feed input input_ids: the model fixes axis 1 to 1, and 8 would be fed");
}

}  // namespace
}  // namespace aaco
