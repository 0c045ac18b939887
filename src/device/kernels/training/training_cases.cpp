// SPDX-License-Identifier: MIT
#include "device/check/case_shapes.h"
#include "device/check/op_case.h"

namespace aaco {

namespace {

constexpr const char* kExact = "copies and integers";
constexpr const char* kMean = "fp64 sums in another order, rounded once";
constexpr const char* kTurn = "two products and a sum, perhaps fused; relative to the products";
constexpr const char* kExp = "exp within a unit in the last place, and a handful of roundings after it";
constexpr const char* kSums = "fp32 sums of so many terms";
constexpr int64_t kClockWords = sizeof(TrainingClock) / sizeof(int32_t);

// Whose batch is `batch`.
const TrainingClock* clock_of_batch(CaseMemory& memory, int32_t batch) {
  return static_cast<const TrainingClock*>(
      memory.given(Dtype::kI32, kClockWords, [=](int64_t i) { return i == 1 ? batch : 0; }));
}

void add_tick(std::vector<OpCase>& cases, int64_t rows, int32_t step, int32_t warmup, bool unaligned) {
  const std::string name = std::to_string(rows) + " rows after step " + std::to_string(step) + ", warm after " +
                           std::to_string(warmup) + (unaligned ? ", unaligned" : "");
  cases.push_back(make_case<TickArgs>(name, 1.2e-7, kMean, [=](CaseMemory& memory, TickArgs& args) {
    // Its other words are random, too: they are not read.
    args.clock = static_cast<TrainingClock*>(memory.in_out(Dtype::kI32, kClockWords, step, step + 1, 0));
    args.loss = rows > 0 ? memory.floats(rows, 0, 10) : nullptr;
    args.history = static_cast<float*>(memory.in_out(Dtype::kF32, 7, -1, 1, 10));
    args.rows = rows;
    args.history_length = 7;
    args.batches = 5;
    args.warmup_steps = warmup;
    args.rate = 3e-4F;
    args.weight_decay = 0.1F;
  }));
  cases.back().unaligned = unaligned;
}

void add_token_batch(std::vector<OpCase>& cases, int64_t sequences, int64_t length, int32_t batch, bool unaligned) {
  const std::string name = std::to_string(sequences) + " sequences of " + std::to_string(length) + ", batch " +
                           std::to_string(batch) + (unaligned ? ", unaligned" : "");
  cases.push_back(make_case<TokenBatchArgs>(name, 0, kExact, [=](CaseMemory& memory, TokenBatchArgs& args) {
    constexpr int64_t kBatches = 3;
    args.tokens = memory.integers(kBatches * sequences * (length + 1), 0, 32000);
    args.clock = clock_of_batch(memory, batch);
    args.inputs = static_cast<int32_t*>(memory.output(Dtype::kI32, sequences * length, 0));
    args.targets = static_cast<int32_t*>(memory.output(Dtype::kI32, sequences * length, 0));
    args.batches = kBatches;
    args.sequences = sequences;
    args.length = length;
  }));
  cases.back().unaligned = unaligned;
}

struct RotaryTrial {
  int64_t rows;
  int32_t heads;
  int32_t head_dim;
  int32_t length;
  int64_t gap = 0;  // between rows
  bool in_place = false;
  bool inverse = false;
  bool unaligned = false;
};

void add_rotary(std::vector<OpCase>& cases, const RotaryTrial& trial, Dtype dtype) {
  const std::string name = std::to_string(trial.rows) + " rows of " + std::to_string(trial.heads) + " heads of " +
                           std::to_string(trial.head_dim) + ", length " + std::to_string(trial.length) + ", gap " +
                           std::to_string(trial.gap) + (trial.in_place ? ", in place" : "") +
                           (trial.inverse ? ", inverse" : "") + (trial.unaligned ? ", unaligned " : " ") +
                           name_of(dtype);
  cases.push_back(make_case<RotaryArgs>(name, 2.5e-7, kTurn, [=](CaseMemory& memory, RotaryArgs& args) {
    args.rows = trial.rows;
    args.pitch = int64_t{trial.heads} * trial.head_dim + trial.gap;
    args.heads = trial.heads;
    args.head_dim = trial.head_dim;
    args.length = trial.length;
    args.inverse = trial.inverse ? 1 : 0;
    args.dtype = dtype;
    const int64_t elements = trial.rows * args.pitch;
    args.out = trial.in_place ? memory.in_out(dtype, elements, -1, 1, 2) : memory.output(dtype, elements, 2);
    args.in = trial.in_place ? args.out : memory.random(dtype, elements, -1, 1);
    args.table = memory.floats(int64_t{trial.length} * trial.head_dim, -1, 1);
  }));
  cases.back().unaligned = trial.unaligned;
}

struct GluTrial {
  int64_t rows;
  int64_t cols;
  int64_t gap = 0;  // between rows, which hold gate and up side by side
  bool unaligned = false;
};

std::string text_of(const GluTrial& trial, Dtype dtype) {
  return text_of(MatrixShape{trial.rows, trial.cols}, dtype) + ", gap " + std::to_string(trial.gap) +
         (trial.unaligned ? ", unaligned" : "");
}

// Of rows that hold a gate and an up, the first up.
const void* up_of(const void* gate, const GluTrial& trial, Dtype dtype) {
  return static_cast<const char*>(gate) + (trial.rows > 0 ? trial.cols * size_of(dtype) : 0);
}

void add_glu(std::vector<OpCase>& cases, const GluTrial& trial, Dtype dtype) {
  const auto [rows, cols, gap, unaligned] = trial;
  const int64_t pitch = 2 * cols + gap;
  cases.push_back(make_case<GluArgs>(text_of(trial, dtype), 1e-6, kExp, [=](CaseMemory& memory, GluArgs& args) {
    args.gate = memory.random(dtype, rows * pitch, -6, 6);
    args.up = up_of(args.gate, trial, dtype);
    args.out = memory.output(dtype, rows * cols, 0);
    args.rows = rows;
    args.cols = cols;
    args.pitch = pitch;
    args.dtype = dtype;
  }));
  cases.back().unaligned = unaligned;
}

void add_glu_grad(std::vector<OpCase>& cases, const GluTrial& trial, Dtype dtype, bool in_place) {
  const auto [rows, cols, gap, unaligned] = trial;
  const int64_t pitch = 2 * cols + gap;
  const std::string name = text_of(trial, dtype) + (in_place ? ", in place" : "");
  cases.push_back(make_case<GluGradArgs>(name, 1e-6, kExp, [=](CaseMemory& memory, GluGradArgs& args) {
    const double magnitude = 7;  // of the terms of gate's: up, and a derivative of up to 1.1
    args.gate_grad =
        in_place ? memory.in_out(dtype, rows * pitch, -6, 6, magnitude) : memory.output(dtype, rows * pitch, magnitude);
    args.up_grad = const_cast<void*>(up_of(args.gate_grad, trial, dtype));
    args.gate = in_place ? args.gate_grad : memory.random(dtype, rows * pitch, -6, 6);
    args.up = up_of(args.gate, trial, dtype);
    if (in_place) {  // what out was comes back, in the place of its gradient
      args.active = memory.in_out(dtype, rows * cols, -1, 1, 36);
      args.out_grad = args.active;
    } else {
      args.out_grad = memory.random(dtype, rows * cols, -1, 1);
    }
    args.rows = rows;
    args.cols = cols;
    args.pitch = pitch;
    args.dtype = dtype;
  }));
  cases.back().unaligned = unaligned;
}

struct HeadsTrial {
  int32_t batch;
  int32_t length;
  int32_t heads;
  int32_t head_dim;
  int32_t repeat;
  int64_t gap = 0;  // between rows
  bool unaligned = false;
};

template <class Args>
void fill_heads(const HeadsTrial& trial, Dtype dtype, Args& args) {
  const int64_t row = int64_t{trial.heads} / trial.repeat * trial.head_dim + trial.gap;
  args.layout = {.batch = trial.length * row, .row = row, .head = trial.head_dim};
  args.batch = trial.batch;
  args.length = trial.length;
  args.heads = trial.heads;
  args.head_dim = trial.head_dim;
  args.repeat = trial.repeat;
  args.dtype = dtype;
}

void add_heads(std::vector<OpCase>& cases, const HeadsTrial& trial, Dtype dtype) {
  const std::string name = std::to_string(trial.batch) + " sequences of " + std::to_string(trial.length) + ", " +
                           std::to_string(trial.heads) + " heads of " + std::to_string(trial.head_dim) + ", repeat " +
                           std::to_string(trial.repeat) + ", gap " + std::to_string(trial.gap) +
                           (trial.unaligned ? ", unaligned " : " ") + name_of(dtype);
  const int64_t apart = int64_t{trial.batch} * trial.heads * trial.length * trial.head_dim;
  cases.push_back(make_case<SplitHeadsArgs>(name, 0, kExact, [=](CaseMemory& memory, SplitHeadsArgs& args) {
    fill_heads(trial, dtype, args);
    args.in = memory.random(dtype, trial.batch * args.layout.batch, -100, 100);
    args.out = memory.output(dtype, apart, 0);
  }));
  cases.back().unaligned = trial.unaligned;
  if (dtype == Dtype::kI32 || dtype == Dtype::kU8) {
    return;
  }
  cases.push_back(make_case<MergeHeadsArgs>(name, 1e-6, kSums, [=](CaseMemory& memory, MergeHeadsArgs& args) {
    fill_heads(trial, dtype, args);
    args.in = memory.random(dtype, apart, -1, 1);
    args.out = memory.output(dtype, trial.batch * args.layout.batch, trial.repeat);
  }));
  cases.back().unaligned = trial.unaligned;
}

void add_clocked(std::vector<OpCase>& cases) {
  add_tick(cases, 0, 3, 0, false);
  add_tick(cases, 1, 0, 10, false);
  add_tick(cases, 700, 1, 10, true);
  add_tick(cases, 2048, 9, 10, false);
  add_tick(cases, 5003, 123456, 10, false);
  for (const int32_t batch : {-1, 0, 2, 3}) {
    add_token_batch(cases, 5, 33, batch, false);
  }
  add_token_batch(cases, 0, 8, 0, false);
  add_token_batch(cases, 1, 1, 1, false);
  add_token_batch(cases, 4, 600, 2, true);
}

}  // namespace

std::vector<OpCase> training_cases() {
  std::vector<OpCase> cases;
  add_clocked(cases);
  for (const Dtype dtype : kFloatTypes) {
    for (const bool inverse : {false, true}) {
      add_rotary(cases, {0, 2, 8, 4, 0, false, inverse}, dtype);
      add_rotary(cases, {70, 3, 16, 32, 0, false, inverse}, dtype);
      add_rotary(cases, {9, 12, 64, 4, 768, true, inverse}, dtype);
      add_rotary(cases, {33, 5, 6, 10, 7, true, inverse}, dtype);
      add_rotary(cases, {3, 2, 128, 512, 8, false, inverse, true}, dtype);
    }
    for (const GluTrial& trial : {GluTrial{0, 8}, GluTrial{1, 1}, GluTrial{7, 5, 3}, GluTrial{40, 176},
                                  GluTrial{3, 2816, 8}, GluTrial{65, 24, 0, true}}) {
      add_glu(cases, trial, dtype);
      add_glu_grad(cases, trial, dtype, false);
      add_glu_grad(cases, trial, dtype, true);
    }
  }
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBf16, Dtype::kI32, Dtype::kU8}) {
    for (const HeadsTrial& trial :
         {HeadsTrial{0, 3, 2, 8, 1}, HeadsTrial{1, 1, 1, 1, 1}, HeadsTrial{2, 33, 6, 16, 3},
          HeadsTrial{3, 10, 12, 64, 1, 768}, HeadsTrial{2, 7, 8, 5, 2, 3}, HeadsTrial{1, 40, 4, 128, 4, 0, true}}) {
      add_heads(cases, trial, dtype);
    }
  }
  return cases;
}

}  // namespace aaco
