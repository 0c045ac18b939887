// SPDX-License-Identifier: MIT
// The part of MIOpen that we call: its immediate mode, which names solutions without running any. Declared here as the
// library is opened at run time. Checked against miopen.h of MIOpen 2.19, 3.0, 3.2 and 3.3 (ROCm 5.5 to 6.3).
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/gpu/vendor.h"

namespace aaco::gpu {

struct MiopenContext;  // opaque, as are the next two
struct MiopenTensor;
struct MiopenConvolution;

enum MiopenStatus : int { kMiopenSuccess = 0, kMiopenNotImplemented = 6, kMiopenUnsupportedOp = 8 };
enum MiopenType : int { kMiopenHalf = 0, kMiopenFloat = 1, kMiopenBfloat16 = 5 };
enum MiopenMode : int { kMiopenConvolution = 0 };  // a correlation, as everywhere
enum MiopenAttribute : int { kMiopenDeterministic = 1 };
enum MiopenAlgorithm : int { kMiopenGemm = 0, kMiopenDirect = 1, kMiopenWinograd = 3, kMiopenImplicitGemm = 5 };

struct MiopenSolution {
  float time;
  size_t workspace_bytes;
  uint64_t id;
  MiopenAlgorithm algorithm;
};
static_assert(offsetof(MiopenSolution, workspace_bytes) == 8 && sizeof(MiopenSolution) == 32);

struct MiopenApi {
  MiopenStatus (*get_version)(size_t* major, size_t* minor, size_t* patch);
  const char* (*get_error_string)(MiopenStatus status);
  MiopenStatus (*create)(MiopenContext** handle, gpuStream_t stream);
  MiopenStatus (*destroy)(MiopenContext* handle);
  MiopenStatus (*tensor_create)(MiopenTensor** tensor);
  MiopenStatus (*tensor_set)(MiopenTensor* tensor, MiopenType type, int n, int c, int h, int w);
  MiopenStatus (*tensor_destroy)(MiopenTensor* tensor);
  MiopenStatus (*convolution_create)(MiopenConvolution** convolution);
  MiopenStatus (*convolution_set)(MiopenConvolution* convolution, MiopenMode mode, int pad_h, int pad_w, int stride_h,
                                  int stride_w, int dilation_h, int dilation_w);
  MiopenStatus (*convolution_set_attribute)(MiopenConvolution* convolution, MiopenAttribute attribute, int value);
  MiopenStatus (*convolution_destroy)(MiopenConvolution* convolution);
  MiopenStatus (*count_solutions)(MiopenContext* handle, MiopenTensor* w, MiopenTensor* x,
                                  MiopenConvolution* convolution, MiopenTensor* y, size_t* count);
  MiopenStatus (*get_solutions)(MiopenContext* handle, MiopenTensor* w, MiopenTensor* x, MiopenConvolution* convolution,
                                MiopenTensor* y, size_t wanted, size_t* count, MiopenSolution* miopen_solution);
  MiopenStatus (*compile)(MiopenContext* handle, MiopenTensor* w, MiopenTensor* x, MiopenConvolution* convolution,
                          MiopenTensor* y, uint64_t solution);
  MiopenStatus (*forward)(MiopenContext* handle, MiopenTensor* w_tensor, const void* w, MiopenTensor* x_tensor,
                          const void* x, MiopenConvolution* convolution, MiopenTensor* y_tensor, void* y,
                          void* workspace, size_t workspace_bytes, uint64_t solution);
};

}  // namespace aaco::gpu
