// SPDX-License-Identifier: MIT
#include "model/runtime/provider_options.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/number_text.h"

namespace aaco {

namespace {

// Option names are those of ONNX Runtime's documentation of each provider.
const std::vector<std::string> kCudaOptions{"device_id",
                                            "gpu_mem_limit",
                                            "arena_extend_strategy",
                                            "cudnn_conv_algo_search",
                                            "do_copy_in_default_stream",
                                            "cudnn_conv_use_max_workspace",
                                            "cudnn_conv1d_pad_to_nc1d",
                                            "enable_cuda_graph",
                                            "tunable_op_enable",
                                            "tunable_op_tuning_enable",
                                            "tunable_op_max_tuning_duration_ms",
                                            "enable_skip_layer_norm_strict_mode",
                                            "prefer_nhwc",
                                            "use_ep_level_unified_stream",
                                            "use_tf32",
                                            "fuse_conv_bias",
                                            "sdpa_kernel"};
const std::vector<std::string> kTensorrtOptions{"device_id",
                                                "trt_max_partition_iterations",
                                                "trt_min_subgraph_size",
                                                "trt_max_workspace_size",
                                                "trt_fp16_enable",
                                                "trt_bf16_enable",
                                                "trt_int8_enable",
                                                "trt_engine_cache_enable",
                                                "trt_engine_cache_path",
                                                "trt_timing_cache_enable",
                                                "trt_timing_cache_path",
                                                "trt_builder_optimization_level",
                                                "trt_cuda_graph_enable",
                                                "trt_profile_min_shapes",
                                                "trt_profile_max_shapes",
                                                "trt_profile_opt_shapes"};
const std::vector<std::string> kMigraphxOptions{"device_id",
                                                "migraphx_fp16_enable",
                                                "migraphx_bf16_enable",
                                                "migraphx_fp8_enable",
                                                "migraphx_int8_enable",
                                                "migraphx_int8_calibration_table_name",
                                                "migraphx_int8_use_native_calibration_table",
                                                "migraphx_model_cache_dir",
                                                "migraphx_exhaustive_tune",
                                                "migraphx_mem_limit",
                                                "migraphx_arena_extend_strategy"};
const std::vector<std::string> kRocmOptions{"device_id",
                                            "gpu_mem_limit",
                                            "arena_extend_strategy",
                                            "miopen_conv_exhaustive_search",
                                            "do_copy_in_default_stream",
                                            "miopen_conv_use_max_workspace",
                                            "enable_hip_graph",
                                            "tunable_op_enable",
                                            "tunable_op_tuning_enable",
                                            "tunable_op_max_tuning_duration_ms"};

}  // namespace

const std::vector<ProviderInfo>& all_providers() {
  using enum DeviceKind;
  static const std::vector<ProviderInfo> providers{
      {"cpu", "CPUExecutionProvider", "", kCpu, "nothing: it is part of ONNX Runtime", {}, {"use_arena"}},
      {"migraphx",
       "MIGraphXExecutionProvider",
       "MIGraphX",
       kGpu,
       "ROCm with MIGraphX, and the PyPI package onnxruntime-migraphx (point --ort-library at its libonnxruntime.so)",
       {{"fp16_enable", "migraphx_fp16_enable"},
        {"bf16_enable", "migraphx_bf16_enable"},
        {"fp8_enable", "migraphx_fp8_enable"},
        {"int8_enable", "migraphx_int8_enable"},
        {"exhaustive_tune", "migraphx_exhaustive_tune"},
        {"model_cache_dir", "migraphx_model_cache_dir"}},
       kMigraphxOptions},
      {"rocm",
       "ROCMExecutionProvider",
       "ROCM",
       kGpu,
       "ROCm, and an ONNX Runtime built with the ROCm provider (up to 1.22; later ones have MIGraphX)",
       {},
       kRocmOptions},
      {"cuda",
       "CUDAExecutionProvider",
       "CUDA",
       kGpu,
       "an NVIDIA driver, CUDA 13 libraries with cuDNN 9, and the PyPI package onnxruntime-gpu",
       {},
       kCudaOptions},
      {"tensorrt",
       "TensorrtExecutionProvider",
       "TensorRT",
       kGpu,
       "an NVIDIA driver, TensorRT, and the PyPI package onnxruntime-gpu",
       {{"fp16_enable", "trt_fp16_enable"}, {"bf16_enable", "trt_bf16_enable"}, {"int8_enable", "trt_int8_enable"}},
       kTensorrtOptions},
      {"openvino", "OpenVINOExecutionProvider", "OpenVINO", kCpu, "the PyPI package onnxruntime-openvino", {}, {}},
      {"dnnl", "DnnlExecutionProvider", "Dnnl", kCpu, "an ONNX Runtime built with oneDNN", {}, {"use_arena"}},
      {"xnnpack", "XnnpackExecutionProvider", "XNNPACK", kCpu, "an ONNX Runtime built with XNNPACK", {}, {}},
      {"vitisai", "VitisAIExecutionProvider", "VitisAI", kGpu, "an ONNX Runtime built with Vitis AI", {}, {}},
  };
  return providers;
}

const ProviderInfo* find_provider(std::string_view name) {
  for (const ProviderInfo& info : all_providers()) {
    if (name == info.backend || name == info.provider) {
      return &info;
    }
  }
  return nullptr;
}

Result<SortedOptions> sort_options(const ProviderInfo& provider, const std::map<std::string, std::string>& options) {
  SortedOptions sorted;
  for (const auto& [name, value] : options) {
    if (name == "intra_op_threads" || name == "inter_op_threads") {
      const auto threads = number_of_text<int32_t>(value);
      if (!threads || *threads < 0 || *threads > 4096) {
        return Error{ErrorKind::kUsage,
                     fmt::format("option {}: '{}' is not a number of threads from 0 to 4096", name, value),
                     "0 lets ONNX Runtime choose"};
      }
      (name == "intra_op_threads" ? sorted.intra_op_threads : sorted.inter_op_threads) = threads;
      continue;
    }
    // "session.intra_op.allow_spinning" and the like are ONNX Runtime's own configuration keys.
    if (name.starts_with("session.") || name.starts_with("optimization.") || name.starts_with("ep.")) {
      sorted.session_entries[name] = value;
      continue;
    }
    const auto alias = provider.aliases.find(name);
    const std::string real = alias == provider.aliases.end() ? name : alias->second;
    const bool known = provider.options.empty() ||
                       std::find(provider.options.begin(), provider.options.end(), real) != provider.options.end() ||
                       (real == "device_id" && provider.device_kind == DeviceKind::kCpu && value == "0");
    if (!known) {
      return Error{ErrorKind::kUsage, fmt::format("backend {}: no such option '{}'", provider.backend, name),
                   fmt::format("{} takes {}, intra_op_threads, inter_op_threads, and session.* keys", provider.provider,
                               fmt::join(provider.options, ", "))};
    }
    if (real == "device_id" && provider.device_kind == DeviceKind::kCpu) {
      continue;
    }
    sorted.provider_options[real] = value == "true" ? "1" : value == "false" ? "0" : value;
  }
  return sorted;
}

}  // namespace aaco
