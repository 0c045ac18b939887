// SPDX-License-Identifier: MIT
// Convolution by cuDNN. The first use of a shape on a device asks the library for algorithms; where they may be timed
// (algorithm_timer.h), they are, and the fastest is kept for all streams.
#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <span>

#include "device/gpu/cuda/algorithm_timer.h"
#include "device/gpu/cuda/conv_descriptors.h"
#include "device/gpu/device_context.h"
#include "device/gpu/libraries/conv_vendor.h"
#include "device/gpu/libraries/library_workspace.h"
#include "device/module_api.h"
#include "device/ops/conv_shape.h"

namespace aaco::gpu {

namespace {

// An H200 computes below it for 20 us in fp32, timing all algorithms for some 32 times that.
constexpr double kLargeFlops = 1e9;

struct Cudnn {
  VendorLibrary library{{.names = {"libcudnn.so.9"},
                         .folders = {"lib64", "lib", "targets/x86_64-linux/lib"},
                         .home = "CUDA_HOME",
                         .python_folder = "nvidia/cudnn/lib",
                         .remedy = "install cuDNN 9 (NVIDIA's package, or pip install nvidia-cudnn-cu13), or name its "
                                   "folder in AACO_NVIDIA_LIBRARIES"}};
  CudnnApi api{};

  Cudnn() {
    library.find(api.get_version, "cudnnGetVersion");
    library.find(api.get_error_string, "cudnnGetErrorString");
    library.find(api.create, "cudnnCreate");
    library.find(api.destroy, "cudnnDestroy");
    library.find(api.set_stream, "cudnnSetStream");
    library.find(api.tensor_create, "cudnnCreateTensorDescriptor");
    library.find(api.tensor_set, "cudnnSetTensor4dDescriptor");
    library.find(api.tensor_destroy, "cudnnDestroyTensorDescriptor");
    library.find(api.filter_create, "cudnnCreateFilterDescriptor");
    library.find(api.filter_set, "cudnnSetFilter4dDescriptor");
    library.find(api.filter_destroy, "cudnnDestroyFilterDescriptor");
    library.find(api.convolution_create, "cudnnCreateConvolutionDescriptor");
    library.find(api.convolution_set, "cudnnSetConvolution2dDescriptor");
    library.find(api.convolution_set_math, "cudnnSetConvolutionMathType");
    library.find(api.convolution_destroy, "cudnnDestroyConvolutionDescriptor");
    library.find(api.activation_create, "cudnnCreateActivationDescriptor");
    library.find(api.activation_set, "cudnnSetActivationDescriptor");
    library.find(api.activation_destroy, "cudnnDestroyActivationDescriptor");
    library.find(api.get_algorithms, "cudnnGetConvolutionForwardAlgorithm_v7");
    library.find(api.forward, "cudnnConvolutionForward");
    library.find(api.forward_bias_activation, "cudnnConvolutionBiasActivationForward");
  }
};

Cudnn& cudnn() {
  static Cudnn the_library;
  return the_library;
}

// Of a device: every stream uses what was chosen first.
struct DeviceConv {
  std::mutex mutex;  // of what follows
  std::map<ConvKey, ConvAlgorithm> fastest;
};

DeviceConv& device_conv(DeviceContext& device) {
  const std::lock_guard lock(device.mutex);
  if (!device.conv) {
    device.conv = std::make_shared<DeviceConv>();
  }
  return *static_cast<DeviceConv*>(device.conv.get());
}

void keep_cudnn(StreamContext& stream, CudnnStatus status, const char* call, int line) {
  if (status == kCudnnSuccess) {
    return;
  }
  const std::string text = std::string(call) + ": " + cudnn().api.get_error_string(status);
  if (status >= 1000 && status < 2000) {  // not initialised, parts of different versions, a part that is missing
    stream.keep_text(kAacoUnavailable, text + "\nrepair this cuDNN, or take it away: " + cudnn().library.path(),
                     __FILE__, line);
  } else {
    stream.keep_text(kAacoDevice, text, __FILE__, line);
  }
}

bool is_not_supported(CudnnStatus status) { return status >= 3000 && status < 4000; }

double flops_of(const ConvArgs& args) {
  const ConvShape shape = shape_of(args);
  return 2.0 * static_cast<double>(shape.out_pixels()) * static_cast<double>(shape.filter_size()) *
         static_cast<double>(args.o) * static_cast<double>(args.n);
}

class CudnnPlan : public ConvPlan {
 public:
  CudnnPlan(StreamContext& stream, CudnnContext* handle, const ConvArgs& args)
      : device_(device_conv(*stream.device)), handle_(handle), descriptors_(cudnn().api, args) {
    keep_cudnn(stream, descriptors_.status(), "cudnnSetConvolution2dDescriptor", __LINE__);
  }

  std::vector<ConvAlgorithm> algorithms(StreamContext& stream, const ConvArgs& args) override;

  ConvOutcome run(StreamContext& stream, const ConvArgs& args, const ConvAlgorithm& algorithm,
                  void* workspace) override {
    const CudnnStatus status = descriptors_.run(handle_, args, algorithm, workspace);
    if (is_not_supported(status)) {
      return ConvOutcome::kNotSupported;
    }
    keep_cudnn(stream, status, algorithm.whole ? "cudnnConvolutionBiasActivationForward" : "cudnnConvolutionForward",
               __LINE__);
    return status == kCudnnSuccess ? ConvOutcome::kEnqueued : ConvOutcome::kFailed;
  }

 private:
  std::optional<ConvAlgorithm> fastest_of(StreamContext& stream, const ConvArgs& args,
                                          std::span<const ConvAlgorithm> some) const;

  DeviceConv& device_;
  CudnnContext* handle_;
  ConvDescriptors descriptors_;
};

// The lock is held while algorithms are timed, as with matrix products: no two threads time at once.
std::vector<ConvAlgorithm> CudnnPlan::algorithms(StreamContext& stream, const ConvArgs& args) {
  const ConvKey key = key_of(args);
  const std::lock_guard lock(device_.mutex);
  if (const auto known = device_.fastest.find(key); known != device_.fastest.end()) {
    return {known->second};
  }
  std::vector<ConvAlgorithm> algorithms;
  const CudnnStatus status = descriptors_.algorithms(handle_, args, algorithms);
  if (status != kCudnnSuccess) {
    if (!is_not_supported(status)) {
      keep_cudnn(stream, status, "cudnnGetConvolutionForwardAlgorithm_v7", __LINE__);
    }
    return {};
  }
  if (algorithms.size() > 1 && timing_is_wanted(flops_of(args) >= kLargeFlops) && may_be_timed(stream)) {
    const auto others =
        std::find_if(algorithms.begin(), algorithms.end(), [&](const auto& each) { return !each.whole; });
    std::optional<ConvAlgorithm> best = fastest_of(stream, args, {algorithms.begin(), others});
    best = best ? best : fastest_of(stream, args, {others, algorithms.end()});
    if (best) {
      device_.fastest.emplace(key, *best);
      return {*best};
    }
  }
  return algorithms;
}

// Nothing where none of them runs.
std::optional<ConvAlgorithm> CudnnPlan::fastest_of(StreamContext& stream, const ConvArgs& args,
                                                   std::span<const ConvAlgorithm> some) const {
  const AlgorithmTimer timer(stream);
  LibraryWorkspace workspace;  // the fastest may need less
  std::optional<ConvAlgorithm> best;
  std::optional<float> best_ms;
  for (const ConvAlgorithm& each : some) {
    void* const memory = workspace.at_least(stream, each.workspace_bytes);
    if (stream.failed()) {
      return std::nullopt;
    }
    const std::optional<float> ms =
        timer.ms_of([&] { return descriptors_.run(handle_, args, each, memory) == kCudnnSuccess; });
    if (ms && (!best_ms || *ms < *best_ms)) {
      best = each;
      best_ms = ms;
    }
  }
  return best;
}

class CudnnHandle : public ConvHandle {
 public:
  explicit CudnnHandle(StreamContext& stream) {
    keep_cudnn(stream, cudnn().api.create(&handle_), "cudnnCreate", __LINE__);
    if (!stream.failed()) {
      keep_cudnn(stream, cudnn().api.set_stream(handle_, stream.stream), "cudnnSetStream", __LINE__);
    }
  }
  ~CudnnHandle() override {
    if (handle_ != nullptr) {
      static_cast<void>(cudnn().api.destroy(handle_));
    }
  }
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;

  std::unique_ptr<ConvPlan> make_plan(StreamContext& stream, const ConvArgs& args) override {
    return std::make_unique<CudnnPlan>(stream, handle_, args);
  }

 private:
  CudnnContext* handle_ = nullptr;
};

}  // namespace

VendorLibrary& conv_library() { return cudnn().library; }

std::string conv_library_version() {
  const size_t version = cudnn().api.get_version();  // 92801 is 9.28.1
  return "cuDNN " + std::to_string(version / 10000) + '.' + std::to_string(version / 100 % 100) + '.' +
         std::to_string(version % 100);
}

std::unique_ptr<ConvHandle> make_conv_handle(StreamContext& stream) { return std::make_unique<CudnnHandle>(stream); }

}  // namespace aaco::gpu
