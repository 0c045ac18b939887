// SPDX-License-Identifier: MIT
#include "engine/activity/executed_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aaco {
namespace {

using Names = std::vector<std::string>;

class ExecutedOnCpu : public testing::Test {
 protected:
  void fill() {
    FillArgs args;
    args.out = values_.data();
    args.n = static_cast<int64_t>(values_.size());
    run(OpId::kFill, &args);
  }
  void add() { run(OpId::kBinary, &sum_); }

 private:
  void run(OpId op, const void* args) {
    stream_->launch(op, args);
    ASSERT_TRUE(stream_->synchronize());
  }

  std::vector<float> values_ = std::vector<float>(8);
  BinaryArgs sum_{values_.data(), values_.data(), values_.data(), 8, 8, 1, BinaryOp::kAdd, 1, Dtype::kF32};
  std::unique_ptr<Stream> stream_ = open_device("cpu").value()->make_stream(0).value();
};

TEST_F(ExecutedOnCpu, HaveTheNamesSinceTheBegin) {
  ExecutedKernels kernels("cpu");
  EXPECT_EQ(kernels.unavailable(), "");
  fill();
  kernels.begin();
  add();
  add();
  EXPECT_EQ(kernels.take(), Names{"binary"}) << "each once, and nothing of before";
  fill();
  add();
  EXPECT_EQ(kernels.take(), (Names{"binary", "fill"}));
  EXPECT_EQ(kernels.take(), Names());
}

// Only one may collect: of the other nothing is known, which is not that nothing was executed.
TEST_F(ExecutedOnCpu, AreUnknownWithoutACollector) {
  const ExecutedKernels first("cpu");
  ExecutedKernels second("cpu");
  second.begin();
  add();
  EXPECT_EQ(second.take(), std::nullopt);
  EXPECT_THAT(second.unavailable(), testing::HasSubstr("being collected already"));
  EXPECT_NE(ExecutedKernels("gpu:0").unavailable(), "");
}

}  // namespace
}  // namespace aaco
