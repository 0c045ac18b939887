// SPDX-License-Identifier: MIT
#include "kind/model_run/worker/token_feed.h"

#include <gtest/gtest.h>

#include "model/test_port.h"

namespace aaco {
namespace {

using test::port;

std::vector<PortInfo> inputs() {
  return {port("input_ids", ElementType::kInt32, {-1, -1}, {"batch_size", "sequence_length"}),
          port("attention_mask", ElementType::kInt32, {-1, -1}, {"batch_size", "total"}),
          port("past_key_values.0.key", ElementType::kFloat, {-1, 2, -1, 8}, {"batch_size", "", "past", ""}),
          port("encoder_hidden_states", ElementType::kFloat16, {-1, -1, 4}, {"batch_size", "encoder_length", ""})};
}

std::vector<PortInfo> outputs() {
  return {port("logits", ElementType::kFloat, {-1, -1, 9}), port("present.0.key", ElementType::kFloat, {-1, 2, -1, 8})};
}

InputRequest request() {
  InputRequest made;
  made.dims = {{"batch_size", 2}, {"encoder_length", 5}};
  made.index_limits = {{"input_ids", 9}};
  made.command_line = {"aaco", "run", "m.onnx", "--tokens", "3,4", "--dim", "encoder_length=5"};
  return made;
}

TEST(TokenFeed, PromptAndEncoderStatesAreMadeAndSaid) {
  const auto feed = make_token_feed(inputs(), outputs(), request(), 3);
  ASSERT_TRUE(feed) << feed.error().message;
  EXPECT_EQ(feed->batch, 2);
  ASSERT_EQ(feed->prompt.size(), 6);
  for (const int64_t token : feed->prompt) {
    EXPECT_TRUE(token >= 0 && token < 9) << token;
  }
  ASSERT_EQ(feed->fixed.size(), 1);
  EXPECT_EQ(feed->fixed[0].type, ElementType::kFloat16);
  EXPECT_EQ(feed->fixed[0].dims, (std::vector<int64_t>{2, 5, 4}));
  ASSERT_EQ(feed->notes.size(), 4);
  EXPECT_EQ(feed->notes[0].dtype, "int32");
  EXPECT_EQ(feed->notes[1].values, "ones, as many as cached and new tokens");
  EXPECT_EQ(feed->notes[2].dims, (std::vector<int64_t>{2, 2, 0, 8}));
  EXPECT_EQ(feed->notes[3].values, "bell-shaped, mean 0, deviation 1");
}

TEST(TokenFeed, SizesOfTheTokensNeedNoFlag) {
  InputRequest asked = request();
  asked.dims["sequence_length"] = 3;
  EXPECT_TRUE(make_token_feed(inputs(), outputs(), asked, 3));
  asked.dims["no_such"] = 3;
  const auto refused = make_token_feed(inputs(), outputs(), asked, 3);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "--dim no_such: the model has no such dimension");
}

TEST(TokenFeed, AnInputThatCannotBeFedIsNamedWithALineThatRuns) {
  std::vector<PortInfo> more = inputs();
  more.push_back(port("inputs_embeds", ElementType::kFloat, {-1, -1, 4}, {"batch_size", "sequence_length", ""}));
  InputRequest asked = request();
  asked.dims.insert({{"sequence_length", 3}, {"total", 3}, {"past", 0}});
  const auto refused = make_token_feed(more, outputs(), asked, 3);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_NE(refused.error().message.find("inputs_embeds: it grows with the tokens"), std::string::npos);
  EXPECT_EQ(refused.error().hint, "time it without --tokens: aaco run m.onnx --dim encoder_length=5");
}

TEST(TokenFeed, WhatTokensFeedsIsNotGivenToo) {
  InputRequest asked = request();
  asked.files["attention_mask"] = "mask.npy";
  const auto refused = make_token_feed(inputs(), outputs(), asked, 3);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "--input attention_mask: --tokens feeds this input");
}

}  // namespace
}  // namespace aaco
