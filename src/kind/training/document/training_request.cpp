// SPDX-License-Identifier: MIT
#include "kind/training/document/training_request.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <string_view>
#include <vector>

#include "device/backend.h"

namespace aaco {

namespace {

void take(int64_t& size, int64_t of_preset) { size = size == 0 ? of_preset : size; }

Result<Precision> precision_of(const std::string& name) {
  if (name == "fp32") {
    return Precision{Dtype::kF32, MathMode::kF32};
  }
  if (name == "tf32") {
    return Precision{Dtype::kF32, MathMode::kTf32};
  }
  if (name == "bf16") {
    return Precision{Dtype::kBf16, MathMode::kF32};
  }
  return Error{ErrorKind::kUsage, fmt::format("--precision {}: not one that trains here", name),
               "choose fp32, tf32 or bf16 (fp16 would need loss scaling, which is not built)"};
}

Result<void> set_fusions(LlamaFusions& fusions, const std::vector<std::string>& names, const char* flag, bool value) {
  for (const std::string& name : names) {
    const auto all = llama_fusions();
    const auto found = std::find_if(all.begin(), all.end(), [&](const NamedFusion& one) { return one.name == name; });
    if (found == all.end()) {
      std::vector<std::string_view> known;
      std::transform(all.begin(), all.end(), std::back_inserter(known),
                     [](const NamedFusion& one) { return one.name; });
      return Error{ErrorKind::kUsage, fmt::format("{} {}: there is no such fusion", flag, name),
                   fmt::format("there are {}", fmt::join(known, ", "))};
    }
    fusions.*found->flag = value;
  }
  return {};
}

Result<void> check_range(const char* flag, int64_t value, int64_t low, int64_t high) {
  if (value < low || value > high) {
    return Error{ErrorKind::kUsage, fmt::format("{} {}: not from {} to {}", flag, value, low, high),
                 "choose a number in that range"};
  }
  return {};
}

}  // namespace

Result<const LlamaVersion*> llama_version_of(const TrainingRequest& request) {
  for (const LlamaVersion& version : llama_versions()) {
    if (version.number == request.version) {
      return &version;
    }
  }
  return Error{ErrorKind::kUsage, fmt::format("--version {}: there is no such version", request.version),
               fmt::format("choose 1 to {}: aaco llama list", llama_versions().size())};
}

Result<TrainingRequest> complete_request(TrainingRequest request) {
  if (request.profile && !request.with.empty()) {
    return Error{ErrorKind::kUsage, "--profile and --with: a session holds one trace", "give one of them"};
  }
  AACO_ASSIGN(const LlamaVersion* version, llama_version_of(request));
  AACO_ASSIGN(const LlamaPreset* preset, find_llama_preset(request.preset));
  AACO_TRY(check_range("--hidden-dim", request.hidden, 0, 65536));
  AACO_TRY(check_range("--num-heads", request.heads, 0, 1024));
  const int64_t given_hidden = request.hidden;
  take(request.vocabulary, preset->shape.vocabulary);
  take(request.hidden, preset->shape.hidden);
  take(request.layers, preset->shape.layers);
  take(request.heads, preset->shape.heads);
  take(request.kv_heads, request.heads == preset->shape.heads ? preset->shape.kv_heads
                         : request.heads % 2 == 0             ? request.heads / 2
                                                              : request.heads);
  take(request.inner, given_hidden == 0 ? preset->shape.inner : 4 * request.hidden);
  take(request.sequences, preset->sequences);
  take(request.length, preset->length);
  if (request.dispatch.empty()) {
    request.dispatch = version->dispatch;
  }
  AACO_TRY(dispatch_mode_named(request.dispatch));
  if (request.data != "learnable" && request.data != "random") {
    return Error{ErrorKind::kUsage, fmt::format("--data {}: no such data", request.data), "choose learnable or random"};
  }
  // The softmax of a single token's score is constant: queries and keys would have no gradient.
  AACO_TRY(check_range("--seq-len", request.length, 2, 65536));
  AACO_TRY(check_range("--num-steps", request.steps, 1, 1'000'000));
  AACO_TRY(check_range("--warmup", request.warmup, 0, 1'000'000));
  AACO_TRY(check_range("--processes", request.processes, 1, 1000));
  AACO_TRY(backend_of(request.device));
  AACO_ASSIGN(const LlamaConfig config, llama_config_of(request));
  AACO_TRY(check_llama_config(config));
  return request;
}

int64_t kept_losses(const TrainingRequest& request) { return request.warmup + request.steps + 1; }

Result<LlamaConfig> llama_config_of(const TrainingRequest& request) {
  LlamaConfig config;
  AACO_ASSIGN(const LlamaVersion* version, llama_version_of(request));
  AACO_ASSIGN(config.precision, precision_of(request.precision));
  config.shape = {.vocabulary = request.vocabulary,
                  .hidden = request.hidden,
                  .layers = request.layers,
                  .heads = request.heads,
                  .kv_heads = request.kv_heads,
                  .inner = request.inner};
  config.fusions = version->fusions;
  AACO_TRY(set_fusions(config.fusions, request.enable, "--enable", true));
  AACO_TRY(set_fusions(config.fusions, request.disable, "--disable", false));
  config.sequences = request.sequences;
  config.length = request.length;
  config.batches = request.batches;
  config.learnable = request.data == "learnable";
  config.steps = kept_losses(request);
  config.warmup_steps = request.rate_warmup_steps;
  config.rate = request.rate;
  config.weight_decay = request.weight_decay;
  config.seed = request.seed;
  return config;
}

}  // namespace aaco
