// SPDX-License-Identifier: MIT
#include "model/decoder/token_generator.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

#include "model/builtin/builtin.h"

namespace aaco {
namespace {

constexpr int64_t kRows = 2;

class DecoderTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("aaco_decoder_test_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    const BuiltinRequest request{
        GetParam(), 7, {{"layers", 2}, {"hidden", 64}, {"heads", 4}, {"kv_heads", 2}, {"vocabulary", 50}}};
    const auto model = builtin_model_file("tiny-llama", request, folder_);
    ASSERT_TRUE(model) << model.error().message;
    model_ = *model;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Result<InferenceSession> open(bool fixes_outputs = false) const {
    SessionRequest request;
    request.model = model_;
    request.fixes_outputs = fixes_outputs;
    request.intra_op_threads = 1;
    return InferenceSession::open(request);
  }

  std::filesystem::path folder_;
  std::filesystem::path model_;
};

// Row by row the tokens of `prompt` with one more each.
std::vector<int64_t> extended(const std::vector<int64_t>& prompt, const std::vector<int64_t>& tokens) {
  const size_t length = prompt.size() / kRows;
  std::vector<int64_t> longer;
  for (size_t row = 0; row < kRows; ++row) {
    longer.insert(longer.end(), prompt.begin() + static_cast<std::ptrdiff_t>(row * length),
                  prompt.begin() + static_cast<std::ptrdiff_t>((row + 1) * length));
    longer.push_back(tokens[row]);
  }
  return longer;
}

// As with a provider that replays graphs: a cache that is fed back must not be written where it is read.
TEST_P(DecoderTest, FixedOutputsChangeNoToken) {
  auto session = open();
  auto fixed = open(true);
  ASSERT_TRUE(session && fixed) << session.error().message;
  const std::vector<int64_t> text = {1, 9, 30, 4, 22, 17, 17, 3, 49, 0};
  auto generator = TokenGenerator::create(*session, text, kRows);
  auto other = TokenGenerator::create(*fixed, text, kRows);
  ASSERT_TRUE(generator && other);
  ASSERT_TRUE(generator->prefill() && other->prefill());
  for (int token = 0; token < 6; ++token) {
    ASSERT_TRUE(generator->step() && other->step());
    EXPECT_EQ(generator->last_tokens(), other->last_tokens()) << token;
  }
}

// With a right cache, a step chooses what a prefill of the whole text so far chooses.
TEST_P(DecoderTest, AStepChoosesAsAPrefillOfAllBeforeIt) {
  auto session = open();
  auto whole_session = open();
  ASSERT_TRUE(session && whole_session) << session.error().message;
  std::vector<int64_t> text = {1, 9, 30, 4, 22, 17, 17, 3, 49, 0};
  auto generator = TokenGenerator::create(*session, text, kRows);
  ASSERT_TRUE(generator) << generator.error().message;
  ASSERT_TRUE(generator->prefill());
  std::vector<std::vector<int64_t>> chosen{generator->last_tokens()};
  for (int token = 0; token < 6; ++token) {
    text = extended(text, generator->last_tokens());
    ASSERT_TRUE(generator->step());
    auto whole = TokenGenerator::create(*whole_session, text, kRows);
    ASSERT_TRUE(whole && whole->prefill());
    EXPECT_EQ(generator->last_tokens(), whole->last_tokens()) << token;
    chosen.push_back(generator->last_tokens());
  }
  EXPECT_TRUE(generator->finite());
  // A second sequence starts from an empty cache.
  ASSERT_TRUE(generator->prefill());
  EXPECT_EQ(generator->last_tokens(), chosen[0]);
  ASSERT_TRUE(generator->step());
  EXPECT_EQ(generator->last_tokens(), chosen[1]);
}

INSTANTIATE_TEST_SUITE_P(Precisions, DecoderTest, testing::Values("fp32", "fp16"));

}  // namespace
}  // namespace aaco
