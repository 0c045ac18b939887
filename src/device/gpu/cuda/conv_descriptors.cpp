// SPDX-License-Identifier: MIT
#include "device/gpu/cuda/conv_descriptors.h"

#include <array>

#include "device/ops/conv_shape.h"

namespace aaco::gpu {

namespace {

CudnnType type_of(Dtype dtype) {
  return dtype == Dtype::kF16 ? kCudnnHalf : dtype == Dtype::kBf16 ? kCudnnBfloat16 : kCudnnFloat;
}

bool is_strict(const ConvArgs& args) { return args.dtype == Dtype::kF32 && args.math == MathMode::kF32; }

// Of fp32, the default allows tf32. Of 16-bit types, matrix units multiply without rounding and sum in fp32.
CudnnMath math_of(const ConvArgs& args) {
  return is_strict(args) ? kCudnnFmaMath : args.dtype == Dtype::kF32 ? kCudnnDefaultMath : kCudnnTensorOpMath;
}

// The Winograd transform of 16-bit inputs may be rounded to 16 bits before it is multiplied; Fourier transforms mix all
// pixels of a tile.
bool computes_as_asked(const CudnnForwardPerformance& cudnn_forward_performance, const ConvArgs& args) {
  switch (cudnn_forward_performance.algorithm) {
    case kCudnnImplicitGemm:
    case kCudnnImplicitPrecomputedGemm:
    case kCudnnGemm:
      break;
    case kCudnnWinograd:
    case kCudnnWinogradNonfused:
      if (args.dtype != Dtype::kF32) {
        return false;
      }
      break;
    default:
      return false;
  }
  return !is_strict(args) || cudnn_forward_performance.math == kCudnnFmaMath;
}

}  // namespace

ConvDescriptors::ConvDescriptors(const CudnnApi& api, const ConvArgs& args) : api_(api) {
  const CudnnType type = type_of(args.dtype);
  const ConvShape shape = shape_of(args);
  x_ = tensor(type, args.n, args.c, args.h, args.w);
  y_ = tensor(type, args.n, args.o, shape.out_h, shape.out_w);
  bias_ = tensor(type, 1, args.o, 1, 1);
  note(api_.filter_create(&w_));
  note(api_.convolution_create(&convolution_));
  note(api_.activation_create(&relu_));
  if (made_ == kCudnnSuccess) {
    note(api_.filter_set(w_, type, kCudnnNchw, args.o, args.c, args.r, args.s));
    note(api_.convolution_set(convolution_, args.pad, args.pad, args.stride, args.stride, 1, 1, kCudnnCrossCorrelation,
                              kCudnnFloat));
    note(api_.activation_set(relu_, kCudnnRelu, kCudnnPropagateNan, 0));
  }
}

ConvDescriptors::~ConvDescriptors() {
  for (CudnnTensor* each : {x_, y_, bias_}) {
    if (each != nullptr) {
      static_cast<void>(api_.tensor_destroy(each));
    }
  }
  if (w_ != nullptr) {
    static_cast<void>(api_.filter_destroy(w_));
  }
  if (convolution_ != nullptr) {
    static_cast<void>(api_.convolution_destroy(convolution_));
  }
  if (relu_ != nullptr) {
    static_cast<void>(api_.activation_destroy(relu_));
  }
}

CudnnTensor* ConvDescriptors::tensor(CudnnType type, int n, int c, int h, int w) {
  CudnnTensor* cudnn_tensor = nullptr;
  note(api_.tensor_create(&cudnn_tensor));
  if (cudnn_tensor != nullptr) {
    note(api_.tensor_set(cudnn_tensor, kCudnnNchw, type, n, c, h, w));
  }
  return cudnn_tensor;
}

CudnnStatus ConvDescriptors::algorithms(CudnnContext* handle, const ConvArgs& args,
                                        std::vector<ConvAlgorithm>& algorithms) const {
  if (const CudnnStatus status = api_.convolution_set_math(convolution_, math_of(args)); status != kCudnnSuccess) {
    return status;
  }
  std::array<CudnnForwardPerformance, 8> all{};
  int count = 0;
  const CudnnStatus status = api_.get_algorithms(handle, x_, w_, convolution_, y_, all.size(), &count, all.data());
  if (status != kCudnnSuccess) {
    return status;
  }
  const auto add = [&](bool whole) {
    for (int i = 0; i < count; ++i) {
      const CudnnForwardPerformance& each = all.at(static_cast<size_t>(i));
      if (each.status == kCudnnSuccess && each.determinism == kCudnnDeterministic &&
          each.workspace_bytes <= kMostConvWorkspaceBytes && computes_as_asked(each, args)) {
        algorithms.push_back({static_cast<uint64_t>(each.algorithm), each.math, whole, each.workspace_bytes});
      }
    }
  };
  if (args.bias != nullptr && args.relu != 0) {
    add(true);
  }
  add(args.bias == nullptr && args.relu == 0);
  return kCudnnSuccess;
}

CudnnStatus ConvDescriptors::run(CudnnContext* handle, const ConvArgs& args, const ConvAlgorithm& algorithm,
                                 void* workspace) const {
  const auto forward = static_cast<CudnnForward>(algorithm.id);
  const float alpha = 1;
  const float zero = 0;
  if (const CudnnStatus status = api_.convolution_set_math(convolution_, static_cast<CudnnMath>(algorithm.math));
      status != kCudnnSuccess) {
    return status;
  }
  if (algorithm.whole && args.bias != nullptr) {
    // The other summand, times 0 and so not read, has to be there. Where cuDNN cannot keep NaN so, it refuses.
    return api_.forward_bias_activation(handle, &alpha, x_, args.in, w_, args.weight, convolution_, forward, workspace,
                                        algorithm.workspace_bytes, &zero, y_, args.out, bias_, args.bias, relu_, y_,
                                        args.out);
  }
  return api_.forward(handle, &alpha, x_, args.in, w_, args.weight, convolution_, forward, workspace,
                      algorithm.workspace_bytes, &zero, y_, args.out);
}

}  // namespace aaco::gpu
