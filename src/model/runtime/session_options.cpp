// SPDX-License-Identifier: MIT
#include "model/runtime/session_options.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/number_text.h"
#include "model/runtime/gpu_libraries.h"
#include "model/runtime/ort_library.h"
#include "model/runtime/provider_options.h"
#include "model/runtime/runtime_packages.h"

namespace aaco {

namespace {

struct KeyValues {
  std::vector<const char*> keys;
  std::vector<const char*> values;
  explicit KeyValues(const std::map<std::string, std::string>& options) {
    for (const auto& [key, value] : options) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
  }
};

// Providers with option objects of their own: create, set by strings, append, release.
template <class Options>
struct OptionCalls {
  OrtStatus*(ORT_API_CALL* create)(Options**);
  OrtStatus*(ORT_API_CALL* update)(Options*, const char* const*, const char* const*, size_t);
  OrtStatus*(ORT_API_CALL* append)(OrtSessionOptions*, const Options*);
  void(ORT_API_CALL* release)(Options*);
};

template <class Options>
Result<void> append_with(const OrtLibrary& library, const OptionCalls<Options>& calls, OrtSessionOptions* options,
                         const SessionRequest& request) {
  const KeyValues pairs(request.provider_options);
  Options* raw = nullptr;
  AACO_TRY(library.check(calls.create(&raw), "start backend " + request.backend, ErrorKind::kUnavailable));
  const OrtHandle<Options> owner(raw, calls.release);
  if (!pairs.keys.empty()) {
    AACO_TRY(library.check(calls.update(raw, pairs.keys.data(), pairs.values.data(), pairs.keys.size()),
                           "set the options of backend " + request.backend));
  }
  return library.check(calls.append(options, raw), "start backend " + request.backend, ErrorKind::kUnavailable);
}

Result<void> append_provider(const OrtLibrary& library, const ProviderInfo& provider, OrtSessionOptions* options,
                             const SessionRequest& request) {
  const OrtApi& api = library.api();
  const std::string_view backend = provider.backend;
  if (backend == "cpu") {
    const auto arena = request.provider_options.find("use_arena");
    return arena != request.provider_options.end() && arena->second == "0"
               ? library.check(api.DisableCpuMemArena(options), "leave out the arena")
               : Result<void>();
  }
  if (backend == "cuda") {
    return append_with<OrtCUDAProviderOptionsV2>(
        library,
        {api.CreateCUDAProviderOptions, api.UpdateCUDAProviderOptions,
         api.SessionOptionsAppendExecutionProvider_CUDA_V2, api.ReleaseCUDAProviderOptions},
        options, request);
  }
  if (backend == "tensorrt") {
    return append_with<OrtTensorRTProviderOptionsV2>(
        library,
        {api.CreateTensorRTProviderOptions, api.UpdateTensorRTProviderOptions,
         api.SessionOptionsAppendExecutionProvider_TensorRT_V2, api.ReleaseTensorRTProviderOptions},
        options, request);
  }
  if (backend == "rocm") {
    return append_with<OrtROCMProviderOptions>(
        library,
        {api.CreateROCMProviderOptions, api.UpdateROCMProviderOptions, api.SessionOptionsAppendExecutionProvider_ROCM,
         api.ReleaseROCMProviderOptions},
        options, request);
  }
  if (backend == "dnnl") {
    return append_with<OrtDnnlProviderOptions>(
        library,
        {api.CreateDnnlProviderOptions, api.UpdateDnnlProviderOptions, api.SessionOptionsAppendExecutionProvider_Dnnl,
         api.ReleaseDnnlProviderOptions},
        options, request);
  }
  // The others take strings through the generic call. MIGraphX among them: its struct changed layout between releases.
  const KeyValues pairs(request.provider_options);
  return library.check(api.SessionOptionsAppendExecutionProvider(options, provider.append_name, pairs.keys.data(),
                                                                 pairs.values.data(), pairs.keys.size()),
                       "start backend " + request.backend, ErrorKind::kUnavailable);
}

// What to do where a provider is missing: a clash of packages explains that, too.
std::string provider_remedy(const OrtLibrary& library, const ProviderInfo& provider) {
  const std::vector<std::string> owners = owners_of_runtime(library.path());
  const std::string clash = runtime_clash(owners);
  return clash.empty() ? fmt::format("install {}", provider.needs) : fmt::format("{}: {}", clash, clash_remedy(owners));
}

Result<void> require_provider(const OrtLibrary& library, const ProviderInfo& provider) {
  const std::vector<std::string> there = library.providers();
  if (std::find(there.begin(), there.end(), provider.provider) != there.end()) {
    return {};
  }
  return Error{ErrorKind::kUnavailable,
               fmt::format("backend {}: this ONNX Runtime ({}, {}) has no {}; it has {}", provider.backend,
                           library.version(), library.path().string(), provider.provider, fmt::join(there, ", ")),
               provider_remedy(library, provider)};
}

// What failed to load, in the loader's words: in the status, or only in the log.
std::string reason_of(const OrtLibrary& library, const Error& error) {
  std::vector<std::string> texts = library.take_log();
  texts.push_back(error.message);
  for (std::string& text : texts) {
    const size_t at = text.find("Failed to load library");
    if (at != std::string::npos) {
      text.erase(0, at);
      std::replace(text.begin(), text.end(), '\n', ' ');
      return text;
    }
  }
  return error.message;
}

Result<void> start_provider(const OrtLibrary& library, const ProviderInfo& provider, OrtSessionOptions* options,
                            const SessionRequest& request) {
  load_gpu_libraries(provider.provider);
  (void)library.take_log();
  Result<void> appended = append_provider(library, provider, options, request);
  if (appended || appended.error().kind != ErrorKind::kUnavailable) {
    return appended;
  }
  return Error{
      ErrorKind::kUnavailable,
      fmt::format("backend {}: {} cannot start: {}; this ONNX Runtime ({}) has {}", provider.backend, provider.provider,
                  reason_of(library, appended.error()), library.version(), fmt::join(library.providers(), ", ")),
      provider_remedy(library, provider)};
}

// The runtime opens the library and calls its RegisterCustomOps.
Result<void> register_operators(const OrtLibrary& library, OrtSessionOptions* options, const std::string& path) {
  Result<void> registered = library.check(library.api().RegisterCustomOpsLibrary_V2(options, path.c_str()),
                                          fmt::format("register the custom operators of {}", path));
  if (registered) {
    return {};
  }
  Error error = registered.error();
  error.hint =
      "--custom-ops takes a shared library that exports RegisterCustomOps and was built for this processor and ONNX "
      "Runtime " +
      library.version();
  return error;
}

Result<OrtHandle<OrtSessionOptions>> bare_options(const OrtLibrary& library) {
  OrtSessionOptions* ort_session_options = nullptr;
  AACO_TRY(
      library.check(library.api().CreateSessionOptions(&ort_session_options), "make session options", ErrorKind::kBug));
  return OrtHandle<OrtSessionOptions>(ort_session_options, library.api().ReleaseSessionOptions);
}

}  // namespace

Result<OrtHandle<OrtSessionOptions>> make_session_options(const OrtLibrary& library, const SessionRequest& request) {
  const OrtApi& api = library.api();
  const ProviderInfo* provider = find_provider(request.backend);
  if (provider == nullptr) {
    return Error{ErrorKind::kUsage, fmt::format("unknown backend '{}'", request.backend),
                 "aaco doctor lists the backends"};
  }
  AACO_TRY(require_provider(library, *provider));
  AACO_ASSIGN(OrtHandle<OrtSessionOptions> options, bare_options(library));
  OrtSessionOptions* ort_session_options = options.get();
  AACO_TRY(library.check(api.SetSessionGraphOptimizationLevel(ort_session_options, ORT_ENABLE_ALL),
                         "set the optimisation level", ErrorKind::kBug));
  AACO_TRY(library.check(api.SetIntraOpNumThreads(ort_session_options, request.intra_op_threads), "set the threads"));
  if (request.inter_op_threads > 1) {
    AACO_TRY(library.check(api.SetSessionExecutionMode(ort_session_options, ORT_PARALLEL), "set parallel execution"));
    AACO_TRY(library.check(api.SetInterOpNumThreads(ort_session_options, request.inter_op_threads), "set the threads"));
  }
  for (const auto& [key, value] : request.session_entries) {
    AACO_TRY(library.check(api.AddSessionConfigEntry(ort_session_options, key.c_str(), value.c_str()), "set " + key));
  }
  for (const std::string& operators : request.custom_ops) {
    AACO_TRY(register_operators(library, ort_session_options, operators));
  }
  if (!request.profile_prefix.empty()) {
    AACO_TRY(library.check(api.EnableProfiling(ort_session_options, request.profile_prefix.c_str()), "profile",
                           ErrorKind::kUnavailable));
  }
  if (!request.optimized_model.empty()) {
    AACO_TRY(library.check(api.SetOptimizedModelFilePath(ort_session_options, request.optimized_model.c_str()),
                           "write the optimised model"));
  }
  AACO_TRY(start_provider(library, *provider, ort_session_options, request));
  return options;
}

std::string provider_problem(const OrtLibrary& library, const std::string& provider) {
  const ProviderInfo* info = find_provider(provider);
  if (info == nullptr) {
    return "";
  }
  const auto options = bare_options(library);
  SessionRequest request;
  request.backend = info->backend;
  const Result<void> started = options ? start_provider(library, *info, options->get(), request) : options.error();
  return started ? "" : started.error().message;
}

const char* device_memory_name(const std::string& backend) {
  if (backend == "cuda" || backend == "tensorrt") {
    return "Cuda";
  }
  // MIGraphX and ROCm call their memory "Hip".
  return backend == "migraphx" || backend == "rocm" ? "Hip" : nullptr;
}

int device_id_of(const SessionRequest& request) {
  const auto provider_option = request.provider_options.find("device_id");
  return provider_option == request.provider_options.end()
             ? 0
             : number_of_text<int32_t>(provider_option->second).value_or(0);
}

}  // namespace aaco
