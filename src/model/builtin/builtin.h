// SPDX-License-Identifier: MIT
// Built-in models: real ONNX graphs with seeded random weights, generated on first use and kept in a cache folder. They
// measure speed; their outputs are finite and reproducible but mean nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace aaco {

class OnnxWriter;

struct BuiltinRequest {
  std::string precision;  // "fp32" or "fp16"; "": the model's default
  uint64_t seed = 0;
  std::map<std::string, int64_t> parameters;  // those not given take their defaults
};

struct BuiltinParameter {
  const char* name;
  const char* one_line;
  int64_t standard;  // the default
  int64_t lowest;
  int64_t highest;
};

struct BuiltinModel {
  const char* name;
  const char* one_line;
  std::vector<std::string> precisions;  // the first is the default
  std::vector<BuiltinParameter> parameters;
  // Adds the graph to the writer. `parameters` has a value within its limits for each of the above; what they may not
  // be together is a kUsage error.
  Result<void> (*build)(const std::map<std::string, int64_t>& parameters, OnnxWriter& writer);
};

// In the order in which they are listed to the user.
std::span<const BuiltinModel> all_builtin_models();

// The model of that name, or null.
const BuiltinModel* find_builtin_model(const std::string& name);

// The model's file in `folder`, generated unless it is there. The file's name is made of the model, precision,
// seed, parameters and the generator's version; the same name has the same bytes on every machine. Errors: kUsage for
// an unknown model, precision or parameter (the hint lists those there are), a value out of range, or a folder that
// cannot be written; kResource for a full disk or too little memory. A failure leaves no file.
Result<std::filesystem::path> builtin_model_file(const std::string& name, const BuiltinRequest& request,
                                                 const std::filesystem::path& folder);

// models/ in the cache folder of base/files/cache_folder.h.
std::filesystem::path model_cache_folder();

// One per file of this folder.
BuiltinModel resnet50_model();
BuiltinModel bert_base_model();
BuiltinModel tiny_llama_model();
BuiltinModel chain_tiny_model();
BuiltinModel elementwise_model();
BuiltinModel gemm_model();

}  // namespace aaco
