// SPDX-License-Identifier: MIT
#include "model/identity/default_options.h"

#include <array>

namespace aaco {

namespace {

struct Default {
  std::string_view provider;  // "": of the session, whatever the provider
  std::string_view key;
  std::string_view value;
};

// Session entries: comments of onnxruntime_session_options_config_keys.h, 1.31. Provider options: ONNX Runtime's pages
// of each provider. One whose default depends on the build or the machine is not here.
constexpr auto kDefaults = std::to_array<Default>({
    {"", "session.disable_prepacking", "0"},
    {"", "session.use_env_allocators", "0"},
    {"", "session.set_denormal_as_zero", "0"},
    {"", "session.disable_quant_qdq", "0"},
    {"", "session.disable_double_qdq_remover", "0"},
    {"", "session.enable_quant_qdq_cleanup", "0"},
    {"", "session.disable_aot_function_inlining", "0"},
    {"", "session.use_device_allocator_for_initializers", "0"},
    {"", "session.inter_op.allow_spinning", "1"},
    {"", "session.intra_op.allow_spinning", "1"},
    {"", "session.force_spinning_stop", "0"},
    {"", "session.dynamic_block_base", "0"},
    {"", "session.disable_cpu_ep_fallback", "0"},
    {"", "session.strict_shape_type_inference", "0"},
    {"", "optimization.enable_gelu_approximation", "0"},
    {"", "optimization.disable_specified_optimizers", ""},
    {"", "ep.context_enable", "0"},
    {"", "ep.context_embed_mode", "0"},
    {"CPUExecutionProvider", "use_arena", "1"},
    {"DnnlExecutionProvider", "use_arena", "1"},
    {"CUDAExecutionProvider", "device_id", "0"},
    {"CUDAExecutionProvider", "arena_extend_strategy", "kNextPowerOfTwo"},
    {"CUDAExecutionProvider", "cudnn_conv_algo_search", "EXHAUSTIVE"},
    {"CUDAExecutionProvider", "do_copy_in_default_stream", "1"},
    {"CUDAExecutionProvider", "cudnn_conv_use_max_workspace", "1"},
    {"CUDAExecutionProvider", "cudnn_conv1d_pad_to_nc1d", "0"},
    {"CUDAExecutionProvider", "enable_cuda_graph", "0"},
    {"CUDAExecutionProvider", "tunable_op_enable", "0"},
    {"CUDAExecutionProvider", "tunable_op_tuning_enable", "0"},
    {"CUDAExecutionProvider", "prefer_nhwc", "0"},
    {"CUDAExecutionProvider", "use_ep_level_unified_stream", "0"},
    {"CUDAExecutionProvider", "use_tf32", "1"},
    {"CUDAExecutionProvider", "fuse_conv_bias", "0"},
    {"TensorrtExecutionProvider", "device_id", "0"},
    {"TensorrtExecutionProvider", "trt_fp16_enable", "0"},
    {"TensorrtExecutionProvider", "trt_bf16_enable", "0"},
    {"TensorrtExecutionProvider", "trt_int8_enable", "0"},
    {"TensorrtExecutionProvider", "trt_engine_cache_enable", "0"},
    {"TensorrtExecutionProvider", "trt_timing_cache_enable", "0"},
    {"TensorrtExecutionProvider", "trt_cuda_graph_enable", "0"},
    {"TensorrtExecutionProvider", "trt_builder_optimization_level", "3"},
    {"MIGraphXExecutionProvider", "device_id", "0"},
    {"MIGraphXExecutionProvider", "migraphx_fp16_enable", "0"},
    {"MIGraphXExecutionProvider", "migraphx_bf16_enable", "0"},
    {"MIGraphXExecutionProvider", "migraphx_fp8_enable", "0"},
    {"MIGraphXExecutionProvider", "migraphx_int8_enable", "0"},
    {"MIGraphXExecutionProvider", "migraphx_exhaustive_tune", "0"},
    {"ROCMExecutionProvider", "device_id", "0"},
    {"ROCMExecutionProvider", "do_copy_in_default_stream", "1"},
    {"ROCMExecutionProvider", "enable_hip_graph", "0"},
    {"ROCMExecutionProvider", "tunable_op_enable", "0"},
    {"ROCMExecutionProvider", "tunable_op_tuning_enable", "0"},
});

}  // namespace

bool is_default_option(std::string_view provider, std::string_view key, std::string_view value) {
  for (const Default& entry : kDefaults) {
    if ((entry.provider.empty() || entry.provider == provider) && entry.key == key) {
      return entry.value == value;
    }
  }
  return false;
}

std::map<std::string, std::string> options_set(std::string_view provider,
                                               const std::map<std::string, std::string>& provider_options,
                                               const std::map<std::string, std::string>& session_entries) {
  std::map<std::string, std::string> set;
  for (const auto* options : {&provider_options, &session_entries}) {
    for (const auto& [key, value] : *options) {
      if (!is_default_option(provider, key, value)) {
        set[key] = value;
      }
    }
  }
  return set;
}

}  // namespace aaco
