// SPDX-License-Identifier: MIT
// Every operation that a stream can be given, one line each. For operation Name there are: the struct NameArgs (below
// the include), OpWork work_of(const NameArgs&) beside it; in kernels/ void run_on_cpu(const NameArgs&) and the GPU
// kernel.
#pragma once

#include "device/ops/attention.h"
#include "device/ops/elementwise.h"
#include "device/ops/gemm.h"
#include "device/ops/indexed.h"
#include "device/ops/optimizer.h"
#include "device/ops/probe.h"
#include "device/ops/rows.h"
#include "device/ops/training.h"

// Order and number are part of the module boundary: append, and raise kModuleApiVersion.
// clang-format off
#define AACO_OPS(X)                                                                                                   \
  X(Fill, "fill") X(Random, "random") X(Unary, "unary") X(UnaryGrad, "unary_grad") X(Binary, "binary")                \
  X(Reduce, "reduce") X(Softmax, "softmax") X(SoftmaxGrad, "softmax_grad") X(Norm, "norm") X(NormGrad, "norm_grad")   \
  X(TopK, "top_k") X(CrossEntropy, "cross_entropy") X(Gemm, "gemm") X(Conv, "conv") X(Pool, "pool")                   \
  X(Image, "image") X(Attention, "attention") X(AttentionGrad, "attention_grad")                                      \
  X(DecodeAttention, "decode_attention") X(AppendCache, "append_cache") X(Gather, "gather")                           \
  X(ScatterAdd, "scatter_add") X(Route, "route") X(Combine, "combine") X(Accept, "accept") X(Sgd, "sgd")              \
  X(Adam, "adam") X(Spin, "spin") X(Gate, "gate") X(Null, "null")                                                          \
  X(Tick, "tick") X(TokenBatch, "token_batch") X(Rotary, "rotary") X(Glu, "glu") X(GluGrad, "glu_grad")               \
  X(SplitHeads, "split_heads") X(MergeHeads, "merge_heads") X(GatherGrad, "gather_grad")           \
  X(SumParts, "sum_parts") X(Dropout, "dropout") X(DropoutGrad, "dropout_grad")                                       \
  X(BinaryCrossEntropy, "binary_cross_entropy") X(SquareSum, "square_sum") X(ClipScale, "clip_scale")                 \
  X(GatherMean, "gather_mean")
// clang-format on

namespace aaco {

enum class OpId : uint32_t {
#define AACO_OP_ID(Name, text) k##Name,
  AACO_OPS(AACO_OP_ID)
#undef AACO_OP_ID
};

#define AACO_OP_COUNT(Name, text) +1  // NOLINT(bugprone-macro-parentheses): a term of the sum below
inline constexpr uint32_t kOpCount = 0 AACO_OPS(AACO_OP_COUNT);
#undef AACO_OP_COUNT

// OpOf<GemmArgs>::kId is OpId::kGemm.
template <class Args>
struct OpOf;
#define AACO_OP_OF(Name, text)                 \
  template <>                                  \
  struct OpOf<Name##Args> {                    \
    static constexpr OpId kId = OpId::k##Name; \
  };
AACO_OPS(AACO_OP_OF)
#undef AACO_OP_OF

}  // namespace aaco
