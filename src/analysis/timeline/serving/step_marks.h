// SPDX-License-Identifier: MIT
// The names by which serving engines mark their steps, and by which kernels of attention tell prompts from decoding.
// The only list of such names: docs/measuring/serving.md tells them to users.
#pragma once

#include <optional>
#include <string_view>

#include "analysis/timeline/serving/engine_step.h"

namespace aaco {

struct StepName {
  StepClass step_class = StepClass::kUnknown;
  StepBatch batch;
};

// "execute_context_1(128)_generation_3(3)" and "execute_131_context_1(sq128sk128...)_generation_3(sq3sk900...)" of
// vLLM, "step[DECODE bs=32]" and "step[EXTEND bs=15 toks=15360]" of SGLang. Empty where it is none, to the last
// character.
std::optional<StepName> parse_step_name(std::string_view range);

// A Python function of vLLM or SGLang that runs one step: "vllm/v1/worker/gpu_model_runner.py(3830): execute_model".
bool is_step_frame(std::string_view function);

// What a kernel is in attention over a paged cache of keys and values, which training does not have.
enum class AttentionMark : uint8_t {
  kNone,
  kCache,  // writes the cache, or attends and does not say how
  kPrefill,
  kDecode,
};
AttentionMark attention_mark(std::string_view kernel);

}  // namespace aaco
