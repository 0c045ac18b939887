// SPDX-License-Identifier: MIT
#include "device/gpu/cuda/algorithm_timer.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace aaco::gpu {

namespace {

constexpr int kRunsOfGraph = 10;
constexpr int kTimedLaunches = 5;
constexpr std::chrono::milliseconds kPatience{100};  // for the stream to become idle; it may wait for the host

#define AACO_KEEP(stream, call) (stream).keep(call, #call, __FILE__, __LINE__)

}  // namespace

bool timing_is_wanted(bool is_large) {
  const char* asked = std::getenv("AACO_GEMM_TUNE");
  return asked != nullptr ? std::string_view(asked) != "0" : is_large;
}

bool may_be_timed(const StreamContext& stream) {
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

// A graph of some runs: enqueued one by one, short ones would be timed at the pace of the host.
cudaGraphExec_t AlgorithmTimer::graph_of(const std::function<bool()>& run) const {
  if (cudaStreamBeginCapture(stream_.stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  bool runs = true;
  for (int repeat = 0; repeat < kRunsOfGraph && runs; ++repeat) {
    runs = run();
  }
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t cuda_graph_exec_t = nullptr;
  if (cudaStreamEndCapture(stream_.stream, &graph) == cudaSuccess && runs) {
    static_cast<void>(cudaGraphInstantiate(&cuda_graph_exec_t, graph, 0));
  }
  if (graph != nullptr) {
    static_cast<void>(cudaGraphDestroy(graph));
  }
  static_cast<void>(cudaGetLastError());
  return cuda_graph_exec_t;
}

std::optional<float> AlgorithmTimer::ms_of(const std::function<bool()>& run) const {
  if (!run()) {
    return std::nullopt;
  }
  cudaGraphExec_t graph = graph_of(run);
  if (graph == nullptr) {
    return std::nullopt;
  }
  std::array<float, kTimedLaunches> ms{};
  AACO_KEEP(stream_, cudaGraphLaunch(graph, stream_.stream));  // not counted
  for (float& duration_ms : ms) {
    AACO_KEEP(stream_, cudaEventRecord(start_, stream_.stream));
    AACO_KEEP(stream_, cudaGraphLaunch(graph, stream_.stream));
    AACO_KEEP(stream_, cudaEventRecord(end_, stream_.stream));
    AACO_KEEP(stream_, cudaEventSynchronize(end_));
    AACO_KEEP(stream_, cudaEventElapsedTime(&duration_ms, start_, end_));
  }
  static_cast<void>(cudaGraphExecDestroy(graph));
  std::nth_element(ms.begin(), ms.begin() + kTimedLaunches / 2, ms.end());
  return stream_.failed() ? std::nullopt : std::optional(ms[kTimedLaunches / 2] / kRunsOfGraph);
}

}  // namespace aaco::gpu
