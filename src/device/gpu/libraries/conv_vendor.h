// SPDX-License-Identifier: MIT
// What a vendor's convolution library does for conv_library.cpp, which keeps plans and workspaces per stream and shape.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "device/gpu/libraries/vendor_library.h"
#include "device/gpu/stream_context.h"
#include "device/ops/gemm.h"

namespace aaco::gpu {

inline constexpr size_t kMostConvWorkspaceBytes = size_t{512} * 1024 * 1024;  // of an algorithm; others are passed over

// All that the choice of an algorithm may depend on.
using ConvKey = std::array<int32_t, 12>;
ConvKey key_of(const ConvArgs& args);

struct ConvAlgorithm {
  uint64_t id = 0;  // the library's
  int32_t math = 0;
  bool whole = false;  // bias and ReLU are done with it
  size_t workspace_bytes = 0;
};

enum class ConvOutcome : uint8_t {
  kEnqueued,
  kNotSupported,  // and nothing was enqueued
  kFailed,        // which the stream keeps
};

// One shape on one stream.
class ConvPlan {
 public:
  virtual ~ConvPlan() = default;
  // In the order of preference; none where the library does not take the shape. Asked once. Failures are the stream's.
  virtual std::vector<ConvAlgorithm> algorithms(StreamContext& stream, const ConvArgs& args) = 0;
  // `args` may have other addresses than those before.
  virtual ConvOutcome run(StreamContext& stream, const ConvArgs& args, const ConvAlgorithm& algorithm,
                          void* workspace) = 0;
};

// The library's handle for one stream; outlives its plans.
class ConvHandle {
 public:
  virtual ~ConvHandle() = default;
  virtual std::unique_ptr<ConvPlan> make_plan(StreamContext& stream, const ConvArgs& args) = 0;
};

VendorLibrary& conv_library();
std::string conv_library_version();  // "cuDNN 9.28.1"; only where it is open
std::unique_ptr<ConvHandle> make_conv_handle(StreamContext& stream);

}  // namespace aaco::gpu
