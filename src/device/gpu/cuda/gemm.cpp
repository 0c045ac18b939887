// SPDX-License-Identifier: MIT
// Matrix multiplication by cuBLASLt. The first use of a shape on a device asks the library for algorithms; where they
// may be timed (algorithm_timer.h), the first few are, and the fastest is kept: in the file AACO_GEMM_ALGORITHMS too,
// by card, library and shape, so that every process has the same.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>

#include "base/files/kept_lines.h"
#include "device/gpu/cuda/algorithm_timer.h"
#include "device/gpu/cuda/gemm_plan.h"
#include "device/gpu/device_context.h"
#include "device/gpu/libraries/gemm_epilogue.h"
#include "device/gpu/libraries/gemm_library.h"
#include "device/gpu/libraries/library_workspace.h"
#include "device/gpu/libraries/vendor_library.h"
#include "device/gpu/run_on_gpu.h"
#include "device/module_api.h"

namespace aaco::gpu {

namespace {

constexpr int kCandidates = 16;
// 2 us at the fastest. Below that, launches are what a program waits for.
constexpr double kLargeFlops = 1e9;

struct CublasLt {
  VendorLibrary library{{.names = {"libcublasLt.so.13", "libcublasLt.so.12"},
                         .folders = {"lib64", "targets/x86_64-linux/lib"},
                         .home = "CUDA_HOME",
                         .python_folder = "nvidia/*/lib",
                         .remedy = "install cuBLAS (CUDA 13 toolkit, or pip install nvidia-cublas), or name its "
                                   "folder in AACO_NVIDIA_LIBRARIES"}};
  CublasLtApi api{};

  CublasLt() {
    library.find(api.create, "cublasLtCreate");
    library.find(api.get_version, "cublasLtGetVersion");
    library.find(api.get_status_name, "cublasLtGetStatusName");
    library.find(api.desc_create, "cublasLtMatmulDescCreate");
    library.find(api.desc_destroy, "cublasLtMatmulDescDestroy");
    library.find(api.desc_set, "cublasLtMatmulDescSetAttribute");
    library.find(api.layout_create, "cublasLtMatrixLayoutCreate");
    library.find(api.layout_destroy, "cublasLtMatrixLayoutDestroy");
    library.find(api.layout_set, "cublasLtMatrixLayoutSetAttribute");
    library.find(api.preference_create, "cublasLtMatmulPreferenceCreate");
    library.find(api.preference_destroy, "cublasLtMatmulPreferenceDestroy");
    library.find(api.preference_set, "cublasLtMatmulPreferenceSetAttribute");
    library.find(api.heuristic, "cublasLtMatmulAlgoGetHeuristic");
    library.find(api.matmul, "cublasLtMatmul");
  }
};

CublasLt& cublas_lt() {
  static CublasLt the_library;
  return the_library;
}

// Of a stream: no other thread uses it, so that it needs no lock.
struct StreamGemm {
  std::shared_ptr<DeviceGemm> device;
  std::map<GemmKey, GemmPlan> plans;
  LibraryWorkspace memory;
  void* workspace = nullptr;
};

void keep_cublas(StreamContext& stream, CublasStatus status, const char* call, int line) {
  if (status != kCublasSuccess) {
    stream.keep_text(kAacoDevice, std::string(call) + ": " + cublas_lt().api.get_status_name(status), __FILE__, line);
  }
}

std::shared_ptr<DeviceGemm> device_gemm(StreamContext& stream) {
  const std::lock_guard lock(stream.device->mutex);
  if (!stream.device->gemm) {
    auto state = std::make_shared<DeviceGemm>();
    keep_cublas(stream, cublas_lt().api.create(&state->handle), "cublasLtCreate", __LINE__);
    stream.device->gemm = state;
  }
  return std::static_pointer_cast<DeviceGemm>(stream.device->gemm);
}

StreamGemm* stream_gemm(StreamContext& stream) {
  if (!stream.gemm) {
    auto state = std::make_shared<StreamGemm>();
    state->device = device_gemm(stream);
    state->workspace = state->memory.at_least(stream, kGemmWorkspaceBytes);
    stream.gemm = std::move(state);
  }
  return static_cast<StreamGemm*>(stream.gemm.get());
}

bool is_to_be_timed(const GemmArgs& args) {
  return timing_is_wanted(2.0 * static_cast<double>(args.m) * static_cast<double>(args.n) *
                              static_cast<double>(args.k) * static_cast<double>(args.batch) >=
                          kLargeFlops);
}

// Where the runs that are timed write to: c itself, where it is not read.
class TimedResult {
 public:
  explicit TimedResult(const GemmArgs& args) : data_(args.c) {
    if (args.beta != 0) {
      const int64_t elements = (args.batch - 1) * args.stride_c + (args.m - 1) * args.ldc + args.n;
      if (cudaMalloc(&own_, static_cast<size_t>(elements) * size_of(args.out_dtype)) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        own_ = nullptr;
      }
      data_ = own_;
    }
  }
  ~TimedResult() { static_cast<void>(cudaFree(own_)); }
  TimedResult(const TimedResult&) = delete;
  TimedResult& operator=(const TimedResult&) = delete;

  void* data() const { return data_; }  // null: there is no memory for it

 private:
  void* data_;
  void* own_ = nullptr;
};

// The fastest that runs; one that does not is passed over. Nothing where none can be timed.
std::optional<CublasLtAlgorithm> fastest_of(StreamContext& stream, const GemmPlan& plan, const StreamGemm& state,
                                            const GemmArgs& args, std::span<const CublasLtHeuristic> heuristics) {
  const TimedResult result(args);
  if (result.data() == nullptr) {
    return std::nullopt;
  }
  const AlgorithmTimer timer(stream);
  size_t best = 0;
  std::optional<float> best_ms;
  for (size_t i = 0; i < heuristics.size() && !stream.failed(); ++i) {
    if (heuristics[i].state != kCublasSuccess) {
      continue;
    }
    const std::optional<float> ms = timer.ms_of([&] {
      return plan.run(state.device->handle, args, heuristics[i].algorithm, result.data(), state.workspace,
                      stream.stream) == kCublasSuccess;
    });
    if (ms && (!best_ms || *ms < *best_ms)) {
      best = i;
      best_ms = ms;
    }
  }
  return best_ms ? std::optional(heuristics[best].algorithm) : std::nullopt;
}

// As hexadecimal digits: what cuBLASLt says of an algorithm may be kept for the same version of it.
std::string text_of(const CublasLtAlgorithm& algorithm) {
  std::string text;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&algorithm);
  for (size_t i = 0; i < sizeof(algorithm); ++i) {
    text += "0123456789abcdef"[bytes[i] >> 4];
    text += "0123456789abcdef"[bytes[i] & 15];
  }
  return text;
}

// Card, library and shape.
std::string text_of(const GemmKey& key) {
  int device = 0;
  cudaDeviceProp properties{};
  static_cast<void>(cudaGetDevice(&device));
  static_cast<void>(cudaGetDeviceProperties(&properties, device));
  std::string text = std::string(properties.name) + ", " + gemm_library_text() + ',';
  for (const int64_t number : key) {
    text += ' ' + std::to_string(number);
  }
  return text;
}

// Sets the algorithm of a new plan. The lock is held while algorithms are timed, so that no two threads time the same
// shape, nor beside each other: other streams' first products of a shape wait for it. That is before what is measured,
// where the warm-up has every shape.
void choose(StreamContext& stream, GemmPlan& plan, const StreamGemm& state, const GemmKey& key, const GemmArgs& args) {
  DeviceGemm& device = *state.device;
  const std::lock_guard lock(device.mutex);
  if (const auto known = device.chosen.find(key); known != device.chosen.end()) {
    plan.algorithm = known->second;
    return;
  }
  std::array<CublasLtHeuristic, kCandidates> heuristics{};
  const int count = plan.candidates(stream, device, key, heuristics.data(), kCandidates);
  if (count == 0) {
    return;
  }
  plan.algorithm = heuristics.front().algorithm;
  if (count == 1 || !is_to_be_timed(args)) {
    return;
  }
  const std::span<const CublasLtHeuristic> all(heuristics.data(), static_cast<size_t>(count));
  const auto one_with = [&](const std::string& text) {
    return std::find_if(all.begin(), all.end(),
                        [&](const auto& heuristic) { return text_of(heuristic.algorithm) == text; });
  };
  const char* file = std::getenv("AACO_GEMM_ALGORITHMS");
  // Only what the library offers here too is taken from a file.
  const auto chosen = KeptLines(file == nullptr ? "" : file)
                          .value_of(
                              text_of(key), [&](const std::string& text) { return one_with(text) != all.end(); },
                              [&]() -> std::optional<std::string> {
                                const auto fastest =
                                    may_be_timed(stream) ? fastest_of(stream, plan, state, args, all) : std::nullopt;
                                return fastest ? std::optional(text_of(*fastest)) : std::nullopt;
                              });
  if (chosen) {  // else another stream may still time it
    plan.algorithm = device.chosen[key] = one_with(*chosen)->algorithm;
  }
}

}  // namespace

std::string gemm_library_text() {
  if (!cublas_lt().library) {
    return "unavailable: " + cublas_lt().library.what_is_wrong();
  }
  const size_t version = cublas_lt().api.get_version();  // 130002 is 13.0.2, 120805 is 12.8.5
  return "cuBLASLt " + std::to_string(version / 10000) + '.' + std::to_string(version / 100 % 100) + '.' +
         std::to_string(version % 100);
}

void run_on_gpu(StreamContext& stream, const GemmArgs& args) {
  if (!cublas_lt().library) {
    stream.keep_text(kAacoUnavailable, cublas_lt().library.reason(), __FILE__, __LINE__);
    return;
  }
  if (args.epilogue != Epilogue::kNone && args.bias == nullptr) {
    stream.keep_text(kAacoUsage, "a matrix multiplication with a bias was given none", __FILE__, __LINE__);
    return;
  }
  if (args.m == 0 || args.n == 0 || args.batch == 0) {
    return;  // nothing to write; the library refuses it
  }
  StreamGemm& state = *stream_gemm(stream);
  if (stream.failed()) {
    return;
  }
  const GemmKey key = key_of(args);
  const auto [place, is_new] = state.plans.try_emplace(key, cublas_lt().api, args);
  GemmPlan& plan = place->second;
  if (is_new) {
    keep_cublas(stream, plan.status(), "cublasLtMatmulDescCreate", __LINE__);
    if (!stream.failed()) {
      choose(stream, plan, state, key, args);
    }
  }
  if (stream.failed()) {
    return;
  }
  keep_cublas(stream, plan.run(state.device->handle, args, plan.algorithm, args.c, state.workspace, stream.stream),
              "cublasLtMatmul", __LINE__);
  if (args.epilogue == Epilogue::kBiasGelu && !stream.failed()) {
    activate(stream, args);
  }
}

}  // namespace aaco::gpu
