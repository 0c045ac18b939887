// SPDX-License-Identifier: MIT
// queue_bare_loop single|threads|graph|graph_after_single STREAMS ITERATIONS WARMUP: the kernels of tiny_kernel_stress at its default sizes, in
// its order, launched by the vendor's own syntax with nothing of aaco around them. Prints the median time of an iteration and
// of enqueueing it as JSON. bench/queue_bare_loop.py compares.
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "device/kernels/elementwise/elementwise.cu"  // the same code for the device

namespace {

constexpr int kChains = 100;
constexpr int kElements = 256;
constexpr unsigned kBlock = aaco::gpu::kElementBlock;
constexpr int kPack = 4;

void check(cudaError_t status) {
  if (status != cudaSuccess) {
    std::fprintf(stderr, "queue_bare_loop: %s\n", cudaGetErrorString(status));
    std::exit(3);
  }
}

struct Arrays {
  float* in;
  float* out;
};

void enqueue_stream(cudaStream_t stream, int index, const Arrays& arrays) {
  using aaco::UnaryArgs;
  using aaco::UnaryOp;
  constexpr unsigned kGrid = (kElements / kPack + kBlock - 1) / kBlock;
  for (int chain = 0; chain < kChains; ++chain) {
    float* in = arrays.in + (int64_t{index} * kChains + chain) * kElements;
    float* out = arrays.out + (int64_t{index} * kChains + chain) * kElements;
    const UnaryArgs steps[]{{in, out, kElements, UnaryOp::kScaleShift, 1.5F, 0},
                            {out, out, kElements, UnaryOp::kScaleShift, 1, 0.5F},
                            {out, out, kElements, UnaryOp::kAbs},
                            {out, out, kElements, UnaryOp::kClamp, 0, 10}};
    for (const UnaryArgs& step : steps) {
      aaco::gpu::unary<float, float, kPack><<<kGrid, kBlock, 0, stream>>>(step);
    }
  }
}

// One host thread.
class Single {
 public:
  Single(const std::vector<cudaStream_t>& streams, Arrays arrays) : streams_(streams), arrays_(arrays) {}
  void enqueue() {
    for (size_t i = 0; i < streams_.size(); ++i) {
      enqueue_stream(streams_[i], static_cast<int>(i), arrays_);
    }
  }

 private:
  const std::vector<cudaStream_t>& streams_;
  Arrays arrays_;
};

// A thread for each stream, which wait for the next iteration at a barrier.
class Threads {
 public:
  Threads(const std::vector<cudaStream_t>& streams, Arrays arrays) : round_(static_cast<std::ptrdiff_t>(streams.size()) + 1) {
    for (size_t i = 0; i < streams.size(); ++i) {
      threads_.emplace_back([this, stream = streams[i], i, arrays] {
        for (;;) {
          round_.arrive_and_wait();
          if (stop_) {
            return;
          }
          enqueue_stream(stream, static_cast<int>(i), arrays);
          round_.arrive_and_wait();
        }
      });
    }
  }
  ~Threads() {
    stop_ = true;
    round_.arrive_and_wait();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }
  void enqueue() {
    round_.arrive_and_wait();
    round_.arrive_and_wait();
  }

 private:
  std::barrier<> round_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

// All of an iteration captured once, each stream forked from the first and joined to it.
class Graph {
 public:
  Graph(const std::vector<cudaStream_t>& streams, Arrays arrays) : stream_(streams.front()) {
    std::vector<cudaEvent_t> edges(streams.size());
    for (cudaEvent_t& edge : edges) {
      check(cudaEventCreateWithFlags(&edge, cudaEventDisableTiming));
    }
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed));
    check(cudaEventRecord(edges[0], stream_));
    for (size_t i = 1; i < streams.size(); ++i) {
      check(cudaStreamWaitEvent(streams[i], edges[0]));
    }
    for (size_t i = 0; i < streams.size(); ++i) {
      enqueue_stream(streams[i], static_cast<int>(i), arrays);
    }
    for (size_t i = 1; i < streams.size(); ++i) {
      check(cudaEventRecord(edges[i], streams[i]));
      check(cudaStreamWaitEvent(stream_, edges[i]));
    }
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream_, &graph));
    check(cudaGraphInstantiate(&executable_, graph, 0));
  }
  void enqueue() { check(cudaGraphLaunch(executable_, stream_)); }

 private:
  cudaStream_t stream_;
  cudaGraphExec_t executable_ = nullptr;
};

double median(std::vector<double>& values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

template <class Dispatch>
void measure(Dispatch&& dispatch, int warmup, int iterations) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> latency;
  std::vector<double> enqueueing;
  for (int i = 0; i < warmup + iterations; ++i) {
    const auto start = Clock::now();
    dispatch.enqueue();
    const auto enqueued = Clock::now();
    check(cudaDeviceSynchronize());
    const auto end = Clock::now();
    if (i >= warmup) {
      latency.push_back(std::chrono::duration<double, std::nano>(end - start).count());
      enqueueing.push_back(std::chrono::duration<double, std::nano>(enqueued - start).count());
    }
  }
  std::printf("{\"p50_ns\": %.0f, \"dispatch_p50_ns\": %.0f}\n", median(latency), median(enqueueing));
}

}  // namespace

// What elementwise.cu's own launches would call; none is made here.
void aaco::gpu::StreamContext::keep(gpuError_t, const char*, const char*, int) { std::abort(); }

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: queue_bare_loop single|threads|graph STREAMS ITERATIONS WARMUP\n");
    return 2;
  }
  const std::string mode = argv[1];
  std::vector<cudaStream_t> streams(static_cast<size_t>(std::stoi(argv[2])));
  const int iterations = std::stoi(argv[3]);
  const int warmup = std::stoi(argv[4]);
  for (cudaStream_t& stream : streams) {
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  Arrays arrays{};
  const size_t bytes = streams.size() * kChains * kElements * sizeof(float);
  check(cudaMalloc(&arrays.in, bytes));
  check(cudaMalloc(&arrays.out, bytes));
  check(cudaMemset(arrays.in, 0, bytes));
  if (mode == "threads") {
    measure(Threads(streams, arrays), warmup, iterations);
  } else if (mode == "graph" || mode == "graph_after_single") {
    if (mode == "graph_after_single") {  // an iteration by launches before the capture, as a program with libraries needs
      Single(streams, arrays).enqueue();
      check(cudaDeviceSynchronize());
    }
    measure(Graph(streams, arrays), warmup, iterations);
  } else {
    measure(Single(streams, arrays), warmup, iterations);
  }
  return 0;
}
