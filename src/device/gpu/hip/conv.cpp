// SPDX-License-Identifier: MIT
// Convolution by MIOpen. It names its solutions in the order of the time that it expects of them; none is timed here.
// It has no tf32: fp32 is what it computes where tf32 would be allowed. Bias and ReLU follow in kernels of ours.
#include "device/gpu/hip/miopen_api.h"
#include "device/gpu/libraries/conv_vendor.h"
#include "device/module_api.h"
#include "device/ops/conv_shape.h"

namespace aaco::gpu {

namespace {

struct Miopen {
  VendorLibrary library{{.names = {"libMIOpen.so.1"},
                         .folders = {"lib"},
                         .home = "ROCM_PATH",
                         .python_folder = "",
                         .remedy = "install MIOpen (ROCm's package miopen-hip), or set ROCM_PATH to where ROCm lies"}};
  MiopenApi api{};

  Miopen() {
    library.find(api.get_version, "miopenGetVersion");
    library.find(api.get_error_string, "miopenGetErrorString");
    library.find(api.create, "miopenCreateWithStream");
    library.find(api.destroy, "miopenDestroy");
    library.find(api.tensor_create, "miopenCreateTensorDescriptor");
    library.find(api.tensor_set, "miopenSet4dTensorDescriptor");
    library.find(api.tensor_destroy, "miopenDestroyTensorDescriptor");
    library.find(api.convolution_create, "miopenCreateConvolutionDescriptor");
    library.find(api.convolution_set, "miopenInitConvolutionDescriptor");
    library.find(api.convolution_set_attribute, "miopenSetConvolutionAttribute");
    library.find(api.convolution_destroy, "miopenDestroyConvolutionDescriptor");
    library.find(api.count_solutions, "miopenConvolutionForwardGetSolutionCount");
    library.find(api.get_solutions, "miopenConvolutionForwardGetSolution");
    library.find(api.compile, "miopenConvolutionForwardCompileSolution");
    library.find(api.forward, "miopenConvolutionForwardImmediate");
  }
};

Miopen& miopen() {
  static Miopen the_library;
  return the_library;
}

bool is_not_supported(MiopenStatus status) { return status == kMiopenNotImplemented || status == kMiopenUnsupportedOp; }

// True for success.
bool keep_miopen(StreamContext& stream, MiopenStatus status, const char* call, int line) {
  if (status != kMiopenSuccess) {
    stream.keep_text(kAacoDevice, std::string(call) + ": " + miopen().api.get_error_string(status), __FILE__, line);
  }
  return status == kMiopenSuccess;
}

// The same of a call that may answer that it does not support something: that is no failure.
bool keep_answer(StreamContext& stream, MiopenStatus status, const char* call, int line) {
  return !is_not_supported(status) && keep_miopen(stream, status, call, line);
}

MiopenType type_of(Dtype dtype) {
  return dtype == Dtype::kF16 ? kMiopenHalf : dtype == Dtype::kBf16 ? kMiopenBfloat16 : kMiopenFloat;
}

// The Winograd transform of 16-bit inputs may be rounded to 16 bits before it is multiplied; Fourier transforms mix all
// pixels.
bool computes_as_asked(const MiopenSolution& solution, const ConvArgs& args) {
  switch (solution.algorithm) {
    case kMiopenGemm:
    case kMiopenDirect:
    case kMiopenImplicitGemm:
      return true;
    case kMiopenWinograd:
      return args.dtype == Dtype::kF32;
  }
  return false;
}

class MiopenPlan : public ConvPlan {
 public:
  MiopenPlan(StreamContext& stream, MiopenContext* handle, const ConvArgs& args);
  ~MiopenPlan() override;
  MiopenPlan(const MiopenPlan&) = delete;
  MiopenPlan& operator=(const MiopenPlan&) = delete;

  std::vector<ConvAlgorithm> algorithms(StreamContext& stream, const ConvArgs& args) override;
  ConvOutcome run(StreamContext& stream, const ConvArgs& args, const ConvAlgorithm& algorithm,
                  void* workspace) override;

 private:
  MiopenTensor* tensor(StreamContext& stream, Dtype dtype, int n, int c, int h, int w);

  MiopenContext* handle_;
  MiopenTensor* x_ = nullptr;
  MiopenTensor* w_ = nullptr;
  MiopenTensor* y_ = nullptr;
  MiopenConvolution* convolution_ = nullptr;
};

MiopenPlan::MiopenPlan(StreamContext& stream, MiopenContext* handle, const ConvArgs& args) : handle_(handle) {
  const ConvShape shape = shape_of(args);
  const MiopenApi& api = miopen().api;
  x_ = tensor(stream, args.dtype, args.n, args.c, args.h, args.w);
  w_ = tensor(stream, args.dtype, args.o, args.c, args.r, args.s);
  y_ = tensor(stream, args.dtype, args.n, args.o, shape.out_h, shape.out_w);
  if (keep_miopen(stream, api.convolution_create(&convolution_), "miopenCreateConvolutionDescriptor", __LINE__)) {
    keep_miopen(
        stream,
        api.convolution_set(convolution_, kMiopenConvolution, args.pad, args.pad, args.stride, args.stride, 1, 1),
        "miopenInitConvolutionDescriptor", __LINE__);
    keep_miopen(stream, api.convolution_set_attribute(convolution_, kMiopenDeterministic, 1),
                "miopenSetConvolutionAttribute", __LINE__);
  }
}

MiopenPlan::~MiopenPlan() {
  for (MiopenTensor* each : {x_, w_, y_}) {
    if (each != nullptr) {
      static_cast<void>(miopen().api.tensor_destroy(each));
    }
  }
  if (convolution_ != nullptr) {
    static_cast<void>(miopen().api.convolution_destroy(convolution_));
  }
}

MiopenTensor* MiopenPlan::tensor(StreamContext& stream, Dtype dtype, int n, int c, int h, int w) {
  MiopenTensor* miopen_tensor = nullptr;
  if (keep_miopen(stream, miopen().api.tensor_create(&miopen_tensor), "miopenCreateTensorDescriptor", __LINE__)) {
    keep_miopen(stream, miopen().api.tensor_set(miopen_tensor, type_of(dtype), n, c, h, w),
                "miopenSet4dTensorDescriptor", __LINE__);
  }
  return miopen_tensor;
}

std::vector<ConvAlgorithm> MiopenPlan::algorithms(StreamContext& stream, const ConvArgs& args) {
  const MiopenApi& api = miopen().api;
  size_t count = 0;
  if (!keep_answer(stream, api.count_solutions(handle_, w_, x_, convolution_, y_, &count),
                   "miopenConvolutionForwardGetSolutionCount", __LINE__) ||
      count == 0) {
    return {};
  }
  std::vector<MiopenSolution> all(count);
  if (!keep_answer(stream, api.get_solutions(handle_, w_, x_, convolution_, y_, all.size(), &count, all.data()),
                   "miopenConvolutionForwardGetSolution", __LINE__)) {
    return {};
  }
  all.resize(count);
  for (const MiopenSolution& each : all) {
    if (each.workspace_bytes > kMostConvWorkspaceBytes || !computes_as_asked(each, args)) {
      continue;
    }
    const bool compiled = keep_answer(stream, api.compile(handle_, w_, x_, convolution_, y_, each.id),
                                      "miopenConvolutionForwardCompileSolution", __LINE__);
    if (compiled || stream.failed()) {
      return {
          {.id = each.id, .whole = args.bias == nullptr && args.relu == 0, .workspace_bytes = each.workspace_bytes}};
    }
  }
  return {};
}

ConvOutcome MiopenPlan::run(StreamContext& stream, const ConvArgs& args, const ConvAlgorithm& algorithm,
                            void* workspace) {
  const MiopenStatus status = miopen().api.forward(handle_, w_, args.weight, x_, args.in, convolution_, y_, args.out,
                                                   workspace, algorithm.workspace_bytes, algorithm.id);
  if (is_not_supported(status)) {
    return ConvOutcome::kNotSupported;
  }
  return keep_miopen(stream, status, "miopenConvolutionForwardImmediate", __LINE__) ? ConvOutcome::kEnqueued
                                                                                    : ConvOutcome::kFailed;
}

class MiopenHandle : public ConvHandle {
 public:
  explicit MiopenHandle(StreamContext& stream) {
    keep_miopen(stream, miopen().api.create(&handle_, stream.stream), "miopenCreateWithStream", __LINE__);
  }
  ~MiopenHandle() override {
    if (handle_ != nullptr) {
      static_cast<void>(miopen().api.destroy(handle_));
    }
  }
  MiopenHandle(const MiopenHandle&) = delete;
  MiopenHandle& operator=(const MiopenHandle&) = delete;

  std::unique_ptr<ConvPlan> make_plan(StreamContext& stream, const ConvArgs& args) override {
    return std::make_unique<MiopenPlan>(stream, handle_, args);
  }

 private:
  MiopenContext* handle_ = nullptr;
};

}  // namespace

VendorLibrary& conv_library() { return miopen().library; }

std::string conv_library_version() {
  size_t major = 0;
  size_t minor = 0;
  size_t patch = 0;
  static_cast<void>(miopen().api.get_version(&major, &minor, &patch));
  return "MIOpen " + std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
}

std::unique_ptr<ConvHandle> make_conv_handle(StreamContext& stream) { return std::make_unique<MiopenHandle>(stream); }

}  // namespace aaco::gpu
