// SPDX-License-Identifier: MIT
#include "model/builtin/builtin.h"

namespace aaco {

std::span<const BuiltinModel> all_builtin_models() {
  static const std::vector<BuiltinModel> models{
      resnet50_model(), bert_base_model(), tiny_llama_model(), chain_tiny_model(), elementwise_model(), gemm_model(),
  };
  return models;
}

}  // namespace aaco
