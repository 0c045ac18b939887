// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>

#include "device/check/op_case.h"

namespace aaco {

namespace {

constexpr const char* kExact = "copies and integers";

std::string text(int64_t rows, int64_t cols, Dtype dtype) {
  return "[" + std::to_string(rows) + ", " + std::to_string(cols) + "] " + name_of(dtype);
}

// Some indices lie outside.
void add_rows(std::vector<OpCase>& cases, int64_t count, int64_t cols, int32_t table_rows, Dtype dtype,
              bool unaligned) {
  const std::string name = text(count, cols, dtype) + (unaligned ? ", unaligned" : "");
  cases.push_back(make_case<GatherArgs>(name, 0, kExact, [=](CaseMemory& memory, GatherArgs& args) {
    args.table = memory.random(dtype, table_rows * cols, -100, 100);
    args.ids = memory.integers(count, -2, table_rows + 2);
    args.out = memory.output(dtype, count * cols, 0);
    args.count = count;
    args.cols = cols;
    args.table_rows = table_rows;
    args.dtype = dtype;
  }));
  cases.back().unaligned = unaligned;
  if (dtype == Dtype::kI32) {
    return;
  }
  const double terms = 1 + static_cast<double>(count) / table_rows;
  cases.push_back(make_case<ScatterAddArgs>(
      name, 2e-6, "fp32 sums in any order; relative to the terms' sum", [=](CaseMemory& memory, ScatterAddArgs& args) {
        args.in = memory.random(dtype, count * cols, -1, 1);
        args.ids = memory.integers(count, -2, table_rows + 2);
        args.out = static_cast<float*>(memory.in_out(Dtype::kF32, table_rows * cols, -1, 1, terms));
        args.count = count;
        args.cols = cols;
        args.out_rows = table_rows;
        args.in_dtype = dtype;
      }));
}

void add_route(std::vector<OpCase>& cases, int32_t tokens, int32_t choices, int32_t experts, int32_t capacity) {
  const std::string name = std::to_string(tokens) + " tokens, " + std::to_string(choices) + " choices of " +
                           std::to_string(experts) + ", capacity " + std::to_string(capacity);
  cases.push_back(make_case<RouteArgs>(name, 0, kExact, [=](CaseMemory& memory, RouteArgs& args) {
    const int64_t pairs = int64_t{tokens} * choices;
    const auto output = [&](int64_t n) { return static_cast<int32_t*>(memory.output(Dtype::kI32, n, 0)); };
    args.experts_of = memory.integers(pairs, -1, experts + 1);
    args.counts = output(experts);
    args.offsets = output(experts + 1);
    args.token_of = output(capacity > 0 ? int64_t{experts} * capacity : pairs);
    args.place_of = output(pairs);
    args.tokens = tokens;
    args.choices = choices;
    args.experts = experts;
    args.capacity = capacity;
  }));
}

void add_combine(std::vector<OpCase>& cases, int64_t tokens, int64_t cols, int32_t choices, Dtype dtype) {
  cases.push_back(make_case<CombineArgs>(text(tokens, cols, dtype) + ", " + std::to_string(choices) + " choices", 1e-6,
                                         "fp32 sums of so many terms", [=](CaseMemory& memory, CombineArgs& args) {
                                           args.tokens = tokens;
                                           args.cols = cols;
                                           args.choices = choices;
                                           args.places = std::max<int64_t>(1, tokens / 2);
                                           args.dtype = dtype;
                                           args.in = memory.random(dtype, args.places * cols, -1, 1);
                                           args.place_of = memory.integers(tokens * choices, -2,
                                                                           static_cast<int32_t>(args.places) + 2);
                                           args.weights = memory.random(dtype, tokens * choices, 0, 1);
                                           args.out = memory.output(dtype, tokens * cols, choices);
                                         }));
}

void add_accept(std::vector<OpCase>& cases, int32_t batch, int32_t length, bool total) {
  const std::string name = std::to_string(batch) + " sequences of " + std::to_string(length) + (total ? ", total" : "");
  cases.push_back(make_case<AcceptArgs>(name, 0, kExact, [=](CaseMemory& memory, AcceptArgs& args) {
    args.draft = memory.integers(int64_t{batch} * length, 0, 2);
    args.chosen = memory.integers(int64_t{batch} * (length + 1), 0, 2);
    args.accepted = static_cast<int32_t*>(memory.output(Dtype::kI32, batch, 0));
    args.next = static_cast<int32_t*>(memory.output(Dtype::kI32, batch, 0));
    args.total = total ? static_cast<int32_t*>(memory.in_out(Dtype::kI32, 1, 0, 1000, 0)) : nullptr;
    args.batch = batch;
    args.length = length;
  }));
}

// Some indices lie outside.
void add_mean(std::vector<OpCase>& cases, int64_t count, int64_t cols, int64_t pool, Dtype dtype, bool unaligned) {
  cases.push_back(make_case<GatherMeanArgs>(
      text(count, cols, dtype) + " of " + std::to_string(pool) + (unaligned ? ", unaligned" : ""), 1e-6,
      "fp32 sums of so many terms, and a product", [=](CaseMemory& memory, GatherMeanArgs& args) {
        constexpr int32_t kRows = 40;
        args.table = memory.random(dtype, kRows * cols, -1, 1);
        args.ids = memory.integers(count * pool, -2, kRows + 2);
        args.out = memory.output(dtype, count * cols, 1);
        args.count = count;
        args.cols = cols;
        args.table_rows = kRows;
        args.pool = pool;
        args.dtype = dtype;
      }));
  cases.back().unaligned = unaligned;
}

}  // namespace

std::vector<OpCase> indexed_cases() {
  std::vector<OpCase> cases;
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBf16, Dtype::kI32}) {
    for (const bool unaligned : {false, true}) {
      add_rows(cases, 0, 8, 4, dtype, unaligned);
      add_rows(cases, 50, 1, 9, dtype, unaligned);
      add_rows(cases, 33, 7, 5, dtype, unaligned);
      add_rows(cases, 9, 1030, 4, dtype, unaligned);
      add_rows(cases, 300, 64, 20, dtype, unaligned);
    }
  }
  for (const int64_t cols : {1, 7}) {
    cases.push_back(
        make_case<GatherArgs>(text(50, cols, Dtype::kU8), 0, kExact, [=](CaseMemory& memory, GatherArgs& args) {
          args = {.table = memory.random(Dtype::kU8, 9 * cols, 0, 100),
                  .ids = memory.integers(50, -2, 11),
                  .out = memory.output(Dtype::kU8, 50 * cols, 0),
                  .count = 50,
                  .cols = cols,
                  .table_rows = 9,
                  .dtype = Dtype::kU8};
        }));
  }
  for (const int32_t capacity : {0, 1, 40}) {
    add_route(cases, 0, 2, 4, capacity);
    add_route(cases, 1, 1, 1, capacity);
    add_route(cases, 100, 2, 8, capacity);
    add_route(cases, 301, 3, 70, capacity);
    add_route(cases, 40000, 2, 5, capacity);
  }
  add_route(cases, 5, 1, 0, 0);
  add_route(cases, 5, 1, 0, 3);
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
    add_combine(cases, 40, 64, 2, dtype);
    add_combine(cases, 21, 33, 3, dtype);
    add_combine(cases, 3, 2056, 1, dtype);
    add_combine(cases, 0, 8, 2, dtype);
  }
  add_accept(cases, 300, 4, true);
  add_accept(cases, 7, 0, true);
  add_accept(cases, 1, 9, false);
  add_accept(cases, 0, 4, true);
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
    add_mean(cases, 0, 8, 3, dtype, false);
    add_mean(cases, 33, 192, 32, dtype, false);
    add_mean(cases, 9, 7, 3, dtype, false);
    add_mean(cases, 20, 16, 1, dtype, true);
  }
  return cases;
}

}  // namespace aaco
