// SPDX-License-Identifier: MIT
#include <iterator>

#include "device/check/op_case.h"

namespace aaco {

namespace {

using CasesOf = std::vector<OpCase> (*)();

constexpr CasesOf kFamilies[] = {
    elementwise_cases, reduce_cases,           softmax_cases,   norm_cases,
    top_k_cases,       cross_entropy_cases,    gemm_cases,      conv_cases,
    attention_cases,   decode_attention_cases, indexed_cases,   optimizer_cases,
    training_cases,    gather_grad_cases,      sum_parts_cases, dropout_cases,
};

}  // namespace

std::vector<OpCase> all_op_cases() {
  std::vector<OpCase> all;
  for (const CasesOf cases_of : kFamilies) {
    std::vector<OpCase> cases = cases_of();
    std::move(cases.begin(), cases.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace aaco
