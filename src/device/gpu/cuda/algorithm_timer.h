// SPDX-License-Identifier: MIT
// Timing a library's algorithms on the shape that is about to be used. Where the shape is large, or AACO_GEMM_TUNE=1
// asks for it, the first use times them (AACO_GEMM_TUNE=0: never), of matrix products and convolutions alike. It needs
// an idle stream that is not being captured. So a program that is to be captured runs once before: else its graph would
// have another algorithm than its streams.
#pragma once

#include <functional>
#include <optional>

#include "device/gpu/stream_context.h"

namespace aaco::gpu {

// Whether to look for the fastest at all. `is_large`: the library's own choice may cost more than the timing.
bool timing_is_wanted(bool is_large);
// Waits a little for the stream to become idle.
bool may_be_timed(const StreamContext& stream);

class AlgorithmTimer {
 public:
  explicit AlgorithmTimer(StreamContext& stream);
  ~AlgorithmTimer();
  AlgorithmTimer(const AlgorithmTimer&) = delete;
  AlgorithmTimer& operator=(const AlgorithmTimer&) = delete;

  // The median of some runs back to back. Nothing where `run`, which enqueues one, says that it does not run, or what
  // it enqueues cannot be captured.
  std::optional<float> ms_of(const std::function<bool()>& run) const;

 private:
  cudaGraphExec_t graph_of(const std::function<bool()>& run) const;

  StreamContext& stream_;
  cudaEvent_t start_{};
  cudaEvent_t end_{};
};

}  // namespace aaco::gpu
