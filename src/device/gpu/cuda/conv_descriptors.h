// SPDX-License-Identifier: MIT
// One shape of convolution as cuDNN describes it, and its algorithms on it.
#pragma once

#include <vector>

#include "device/gpu/cuda/cudnn_api.h"
#include "device/gpu/libraries/conv_vendor.h"

namespace aaco::gpu {

class ConvDescriptors {
 public:
  ConvDescriptors(const CudnnApi& api, const ConvArgs& args);
  ~ConvDescriptors();
  ConvDescriptors(const ConvDescriptors&) = delete;
  ConvDescriptors& operator=(const ConvDescriptors&) = delete;

  CudnnStatus status() const { return made_; }
  // The library's favourites first, those that do bias and ReLU as well before those that do not. Only what computes as
  // `args` asks: sums in fp32 of products that are not rounded, and the same each time.
  CudnnStatus algorithms(CudnnContext* handle, const ConvArgs& args, std::vector<ConvAlgorithm>& algorithms) const;
  CudnnStatus run(CudnnContext* handle, const ConvArgs& args, const ConvAlgorithm& algorithm, void* workspace) const;

 private:
  void note(CudnnStatus status) { made_ = made_ == kCudnnSuccess ? status : made_; }
  CudnnTensor* tensor(CudnnType type, int n, int c, int h, int w);

  const CudnnApi& api_;
  CudnnStatus made_ = kCudnnSuccess;
  CudnnTensor* x_ = nullptr;
  CudnnTensor* y_ = nullptr;
  CudnnTensor* bias_ = nullptr;
  CudnnFilter* w_ = nullptr;
  CudnnConvolution* convolution_ = nullptr;
  CudnnActivation* relu_ = nullptr;
};

}  // namespace aaco::gpu
