// SPDX-License-Identifier: MIT
#include "observe/environment.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <string>
#include <unistd.h>

#include "base/clock.h"
#include "base/json/json.h"
#include "observe/lockbox/sections.h"

namespace aaco {

namespace {

// Thread pools and math libraries; runtimes and their providers; drivers and device selection; collectives; the loader
// and the allocator; precision overrides; our own.
constexpr auto kPrefixes = std::to_array<std::string_view>(
    {"OMP_",    "MKL_", "OPENBLAS_",   "KMP_",  "GOMP_",      "GOTO_",           "BLIS_",   "DNNL_",
     "ONEDNN_", "ORT_", "ONNXRUNTIME", "CUDA_", "CUDNN_",     "CUBLAS",          "NVIDIA_", "NVTE_",
     "HIP_",    "HSA_", "ROCR_",       "ROCM_", "ROCBLAS_",   "HIPBLASLT_",      "MIOPEN_", "MIGRAPHX_",
     "GPU_",    "AMD_", "NCCL_",       "RCCL_", "LD_PRELOAD", "LD_LIBRARY_PATH", "MALLOC_", "GLIBC_TUNABLES",
     "TF32_",   "AACO_"});
constexpr std::array<std::string_view, 7> kSecretWords{"KEY",    "TOKEN",      "SECRET", "PASSWORD",
                                                       "PASSWD", "CREDENTIAL", "AUTH"};

Json variables() {
  std::map<std::string, std::string> kept;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || !variable_is_kept(text.substr(0, equals))) {
      continue;
    }
    const std::string name(text.substr(0, equals));
    kept[name] = variable_is_secret(name) ? "redacted" : std::string(text.substr(equals + 1));
  }
  return Json(kept);
}

}  // namespace

Json capture_environment(const EnvironmentOptions& options) {
  const HostFiles& host = options.host;
  Json json;
  json["captured_at"] = format_utc(wall_clock_ns());
  json["host"] = lockbox::host(host);
  json["cpu"] = lockbox::cpu(host);
  json["memory"] = lockbox::memory(host);
  json["kernel"] = lockbox::kernel(host);
  json["container"] = lockbox::container(host);
  json["limits"] = lockbox::limits();
  json["gpu_drivers"] = lockbox::gpu_drivers(host, options.run_tools);
  json["gpus"] = lockbox::gpus(host, options.run_tools);
  json["software"] = lockbox::software();
  json["libraries"] = Json(options.libraries);
  json["model"] = {{"path", lockbox::value_or(options.model_path, "no model")},
                   {"sha256", lockbox::value_or(options.model_sha256, "not given")}};
  if (!options.run.empty()) {
    json["run"] = Json(options.run);
  }
  json["git"] = lockbox::git(options.run_tools);
  json["variables"] = variables();
  json["load"] = lockbox::load(host);
  return json;
}

bool variable_is_kept(std::string_view name) {
  return std::any_of(kPrefixes.begin(), kPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool variable_is_secret(std::string_view name) {
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return std::any_of(kSecretWords.begin(), kSecretWords.end(),
                     [&](std::string_view word) { return upper.find(word) != std::string::npos; });
}

}  // namespace aaco
