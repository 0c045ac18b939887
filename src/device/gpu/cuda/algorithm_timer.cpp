// SPDX-License-Identifier: MIT
#include "device/gpu/cuda/algorithm_timer.h"

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace aaco::gpu {

namespace {

constexpr int kTimedRuns = 3;
constexpr std::chrono::milliseconds kPatience{100};  // for the stream to become idle; it may wait for the host

#define AACO_KEEP(stream, call) (stream).keep(call, #call, __FILE__, __LINE__)

}  // namespace

bool may_be_timed(const StreamContext& stream, bool is_large) {
  const char* asked = std::getenv("AACO_GEMM_TUNE");
  if (asked != nullptr ? std::string_view(asked) == "0" : !is_large) {
    return false;
  }
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream.stream, &capture) != cudaSuccess || capture != cudaStreamCaptureStatusNone) {
    return false;
  }
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (cudaStreamQuery(stream.stream) == cudaErrorNotReady) {
    if (std::chrono::steady_clock::now() > deadline) {
      static_cast<void>(cudaGetLastError());
      return false;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  static_cast<void>(cudaGetLastError());
  return true;
}

AlgorithmTimer::AlgorithmTimer(StreamContext& stream) : stream_(stream) {
  AACO_KEEP(stream, cudaEventCreate(&start_));
  AACO_KEEP(stream, cudaEventCreate(&end_));
}

AlgorithmTimer::~AlgorithmTimer() {
  static_cast<void>(cudaEventDestroy(start_));
  static_cast<void>(cudaEventDestroy(end_));
}

std::optional<float> AlgorithmTimer::ms_of(const std::function<bool()>& run) const {
  if (!run()) {
    return std::nullopt;
  }
  AACO_KEEP(stream_, cudaEventRecord(start_, stream_.stream));
  for (int repeat = 0; repeat < kTimedRuns; ++repeat) {
    if (!run()) {
      return std::nullopt;
    }
  }
  AACO_KEEP(stream_, cudaEventRecord(end_, stream_.stream));
  AACO_KEEP(stream_, cudaEventSynchronize(end_));
  float ms = 0;
  AACO_KEEP(stream_, cudaEventElapsedTime(&ms, start_, end_));
  return stream_.failed() ? std::nullopt : std::optional(ms / kTimedRuns);
}

}  // namespace aaco::gpu
