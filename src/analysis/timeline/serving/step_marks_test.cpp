// SPDX-License-Identifier: MIT
#include "analysis/timeline/serving/step_marks.h"

#include <gtest/gtest.h>

namespace aaco {
namespace {

TEST(StepMarks, VllmSaysRequestsAndTokensOfBothKinds) {
  const auto mixed = parse_step_name("execute_context_1(128)_generation_3(3)");
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->step_class, StepClass::kMixed);
  EXPECT_EQ(mixed->batch, (StepBatch{4, 131, 1, 128, 3, 3}));
  EXPECT_EQ(parse_step_name("execute_context_2(70)_generation_0(0)")->step_class, StepClass::kPrefill);
  EXPECT_EQ(parse_step_name("execute_context_0(0)_generation_32(64)")->step_class, StepClass::kDecode);
  EXPECT_EQ(parse_step_name("execute_context_0(0)_generation_0(0)")->step_class, StepClass::kEmpty);
  const auto sums =
      parse_step_name("execute_1025_context_1(sq1024sk2048sqsq1sqsk2)_generation_1(sq1sk300sqsq1sqsk300)");
  ASSERT_TRUE(sums);
  EXPECT_EQ(sums->batch, (StepBatch{2, 1025, 1, 1024, 1, 1}));
}

TEST(StepMarks, SglangSaysTheModeTheBatchAndSometimesTokens) {
  const auto prefill = parse_step_name("step[EXTEND bs=15 toks=15360]");
  ASSERT_TRUE(prefill);
  EXPECT_EQ(prefill->step_class, StepClass::kPrefill);
  EXPECT_EQ(prefill->batch, (StepBatch{15, 15360, 15, 15360, 0, 0}));
  const auto decode = parse_step_name("step[DECODE bs=32]");
  ASSERT_TRUE(decode);
  EXPECT_EQ(decode->step_class, StepClass::kDecode);
  EXPECT_EQ(decode->batch.requests, 32);
  EXPECT_EQ(decode->batch.tokens, std::nullopt);  // one a request but for speculation: it does not say
  const auto mixed = parse_step_name("step[MIXED bs=2]");
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->batch, (StepBatch{2, {}, {}, {}, {}, {}}));
  EXPECT_EQ(parse_step_name("step[DRAFT_EXTEND bs=2]")->step_class, StepClass::kUnknown);
}

TEST(StepMarks, WhatIsNoStepToTheLastCharacterIsNone) {
  for (const char* name :
       {"", "execute_", "execute_context_1(128)_generation_3(3) ", "execute_context_1(128)_generation_3",
        "execute_context_-1(128)_generation_3(3)", "execute_context_1(12x)_generation_3(3)", "execute_model",
        "execute_context_9223372036854775807(1)_generation_1(1)",
        "execute_context_99999999999999999999(1)_generation_1(1)", "step[DECODE]", "step[DECODE bs=]", "step[ bs=1]",
        "step[DECODE bs=1", "step[3/10]", "ProfilerStep#3", "Optimizer.step#AdamW.step", "step[EXTEND bs=1 toks=]"}) {
    EXPECT_FALSE(parse_step_name(name)) << name;
  }
}

TEST(StepMarks, FunctionsOfEnginesAlone) {
  EXPECT_TRUE(is_step_frame("vllm/v1/worker/gpu_model_runner.py(3830): execute_model"));
  EXPECT_TRUE(is_step_frame("/x/python/sglang/srt/managers/tp_worker.py(445): forward_batch_generation"));
  EXPECT_FALSE(is_step_frame("mine/model.py(3): execute_model"));
  EXPECT_FALSE(is_step_frame("vllm/v1/worker/gpu_model_runner.py(3830): execute_model_later"));
}

TEST(StepMarks, KernelsOfAPagedCacheAndNoOthers) {
  EXPECT_EQ(attention_mark("void paged_attention_ll4mi_QKV_mfma16_kernel<0, __hip_bfloat16>(int)"),
            AttentionMark::kDecode);
  EXPECT_EQ(attention_mark("_ZN7ck_tile6kentryILi2ENS_38FmhaBatchPrefillWithPagedKVCacheKernelINS_40X"),
            AttentionMark::kPrefill);
  EXPECT_EQ(attention_mark("void vllm::reshape_and_cache_kernel<unsigned short>(int)"), AttentionMark::kCache);
  EXPECT_EQ(attention_mark("kernel_unified_attention_2d"), AttentionMark::kCache);
  // In training too:
  EXPECT_EQ(attention_mark("void flash_fwd_kernel<Flash_fwd_kernel_traits<64>>(Flash_fwd_params)"),
            AttentionMark::kNone);
  EXPECT_EQ(attention_mark("_ZN7ck_tile6kentryILi256ELi2ENS_13FmhaFwdKernelINS_26X"), AttentionMark::kNone);
}

}  // namespace
}  // namespace aaco
