// SPDX-License-Identifier: MIT
// The part of cuDNN 9 that we call: of its older interface, the one that convolves without a graph of operations.
// Declared here rather than included: the library is opened at run time, and its headers come with its own 500 MB only.
// Checked against the headers of cuDNN 9.28.1; the same since 9.0.
#pragma once

#include <cstddef>
#include <cuda_runtime.h>

namespace aaco::gpu {

struct CudnnContext;  // opaque, as are the next four
struct CudnnTensor;
struct CudnnFilter;
struct CudnnConvolution;
struct CudnnActivation;

enum CudnnStatus : int { kCudnnSuccess = 0 };  // [3000, 4000): not supported
enum CudnnType : int { kCudnnFloat = 0, kCudnnHalf = 2, kCudnnBfloat16 = 9 };
enum CudnnFormat : int { kCudnnNchw = 0 };
enum CudnnMath : int { kCudnnDefaultMath = 0, kCudnnTensorOpMath = 1, kCudnnFmaMath = 3 };
enum CudnnMode : int { kCudnnCrossCorrelation = 1 };
enum CudnnActivationMode : int { kCudnnRelu = 1 };
enum CudnnNan : int { kCudnnPropagateNan = 1 };
enum CudnnDeterminism : int { kCudnnDeterministic = 1 };
enum CudnnForward : int {
  kCudnnImplicitGemm = 0,
  kCudnnImplicitPrecomputedGemm = 1,
  kCudnnGemm = 2,
  kCudnnWinograd = 6,
  kCudnnWinogradNonfused = 7,
};

struct CudnnForwardPerformance {
  CudnnForward algorithm;
  CudnnStatus status;
  float time;
  size_t workspace_bytes;
  CudnnDeterminism determinism;
  CudnnMath math;
  int reserved[3];
};
static_assert(offsetof(CudnnForwardPerformance, workspace_bytes) == 16 && sizeof(CudnnForwardPerformance) == 48);

struct CudnnApi {
  size_t (*get_version)();
  const char* (*get_error_string)(CudnnStatus status);
  CudnnStatus (*create)(CudnnContext** handle);
  CudnnStatus (*destroy)(CudnnContext* handle);
  CudnnStatus (*set_stream)(CudnnContext* handle, cudaStream_t stream);
  CudnnStatus (*tensor_create)(CudnnTensor** tensor);
  CudnnStatus (*tensor_set)(CudnnTensor* tensor, CudnnFormat format, CudnnType type, int n, int c, int h, int w);
  CudnnStatus (*tensor_destroy)(CudnnTensor* tensor);
  CudnnStatus (*filter_create)(CudnnFilter** filter);
  CudnnStatus (*filter_set)(CudnnFilter* filter, CudnnType type, CudnnFormat format, int o, int c, int r, int s);
  CudnnStatus (*filter_destroy)(CudnnFilter* filter);
  CudnnStatus (*convolution_create)(CudnnConvolution** convolution);
  CudnnStatus (*convolution_set)(CudnnConvolution* convolution, int pad_h, int pad_w, int stride_h, int stride_w,
                                 int dilation_h, int dilation_w, CudnnMode mode, CudnnType compute);
  CudnnStatus (*convolution_set_math)(CudnnConvolution* convolution, CudnnMath math);
  CudnnStatus (*convolution_destroy)(CudnnConvolution* convolution);
  CudnnStatus (*activation_create)(CudnnActivation** activation);
  CudnnStatus (*activation_set)(CudnnActivation* activation, CudnnActivationMode mode, CudnnNan nan, double ceiling);
  CudnnStatus (*activation_destroy)(CudnnActivation* activation);
  CudnnStatus (*get_algorithms)(CudnnContext* handle, CudnnTensor* x, CudnnFilter* w, CudnnConvolution* convolution,
                                CudnnTensor* y, int wanted, int* count,
                                CudnnForwardPerformance* cudnn_forward_performance);
  CudnnStatus (*forward)(CudnnContext* handle, const void* alpha, CudnnTensor* x_tensor, const void* x,
                         CudnnFilter* w_filter, const void* w, CudnnConvolution* convolution, CudnnForward algorithm,
                         void* workspace, size_t workspace_bytes, const void* beta, CudnnTensor* y_tensor, void* y);
  CudnnStatus (*forward_bias_activation)(CudnnContext* handle, const void* alpha, CudnnTensor* x_tensor, const void* x,
                                         CudnnFilter* w_filter, const void* w, CudnnConvolution* convolution,
                                         CudnnForward algorithm, void* workspace, size_t workspace_bytes,
                                         const void* z_alpha, CudnnTensor* z_tensor, const void* z,
                                         CudnnTensor* bias_tensor, const void* bias, CudnnActivation* activation,
                                         CudnnTensor* y_tensor, void* y);
};

}  // namespace aaco::gpu
