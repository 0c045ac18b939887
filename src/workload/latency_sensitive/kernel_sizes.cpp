// SPDX-License-Identifier: MIT
#include "workload/latency_sensitive/kernel_sizes.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "workload/layers/matmul.h"

namespace aaco {

namespace {

constexpr int kMostTrials = 16;
constexpr double kNearEnough = 0.05;
constexpr double kLargestStep = 4;  // where small sizes all take the same time, growth tells nothing yet
constexpr int kRepeats = 5;

// A stream to time on, and memory of random numbers.
struct Bench {
  std::unique_ptr<Stream> stream;
  std::unique_ptr<Event> begun;
  std::unique_ptr<Event> ended;
  std::vector<std::unique_ptr<Buffer>> memory;

  static Result<Bench> make(Device& device) {
    Bench bench;
    AACO_ASSIGN(bench.stream, device.make_stream(0));
    AACO_ASSIGN(bench.begun, device.make_event(true));
    AACO_ASSIGN(bench.ended, device.make_event(true));
    return bench;
  }

  Result<Tensor> random(Device& device, Dtype dtype, std::initializer_list<int64_t> dims) {
    Tensor tensor{nullptr, dtype, dims};
    AACO_ASSIGN(memory.emplace_back(), device.allocate(static_cast<size_t>(tensor.bytes()), MemoryKind::kDevice));
    tensor.data = memory.back()->data();
    stream->launch(RandomArgs{tensor.data, tensor.elements(), 1, -1, 1, dtype});
    return tensor;
  }

  // The median over some repeats, behind one that is not counted.
  template <class Args>
  Result<double> time(Device& device, const Args& args, int launches) {
    std::vector<double> times;
    for (int i = 0; i <= kRepeats; ++i) {
      stream->record(*begun);
      for (int launch = 0; launch < launches; ++launch) {
        stream->launch(args);
      }
      stream->record(*ended);
      AACO_TRY(stream->synchronize());
      AACO_ASSIGN(const double ns, device.elapsed_ns(*begun, *ended));
      times.push_back(ns / launches);
    }
    std::sort(times.begin() + 1, times.end());
    return times[1 + kRepeats / 2];
  }
};

int64_t rounded(double size, const SizeSearch& search) {
  const double multiples = std::round(size / static_cast<double>(search.multiple));
  const int64_t most = search.most / search.multiple;
  return static_cast<int64_t>(std::clamp(multiples, 1.0, std::max(1.0, static_cast<double>(most)))) * search.multiple;
}

}  // namespace

Result<TimedSize> find_size(const SizeSearch& search, const std::function<Result<double>(int64_t)>& measure) {
  TimedSize best;
  double best_distance = INFINITY;
  std::set<int64_t> tried;
  int64_t size = rounded(static_cast<double>(search.first), search);
  for (int trial = 0; trial < kMostTrials && tried.insert(size).second; ++trial) {
    AACO_ASSIGN(const double ns, measure(size));
    const double ratio = search.target_ns / ns;
    if (const double distance = std::fabs(std::log(ratio)); distance < best_distance) {
      best = {size, ns};
      best_distance = distance;
    }
    if (best_distance < kNearEnough) {
      break;
    }
    const double step = std::clamp(std::pow(ratio, 1 / search.power), 1 / kLargestStep, kLargestStep);
    size = rounded(static_cast<double>(size) * step, search);
  }
  return best;
}

Result<TimedSize> product_size(Device& device, Precision precision, double target_ns) {
  return find_size({target_ns, 256, 64, 32768, 3}, [&](int64_t size) -> Result<double> {
    AACO_ASSIGN(Bench bench, Bench::make(device));
    AACO_ASSIGN(const Tensor a, bench.random(device, precision.dtype, {size, size}));
    AACO_ASSIGN(const Tensor b, bench.random(device, precision.dtype, {size, size}));
    AACO_ASSIGN(const Tensor c, bench.random(device, precision.dtype, {size, size}));
    return bench.time(device, matmul(a, b, c, precision), 1);
  });
}

Result<TimedSize> element_count(Device& device, double target_ns) {
  return find_size({target_ns, 65536, 256, int64_t{1} << 28, 1}, [&](int64_t size) -> Result<double> {
    AACO_ASSIGN(Bench bench, Bench::make(device));
    AACO_ASSIGN(const Tensor in, bench.random(device, Dtype::kF32, {size}));
    AACO_ASSIGN(const Tensor out, bench.random(device, Dtype::kF32, {size}));
    return bench.time(device, UnaryArgs{in.data, out.data, size, UnaryOp::kScaleShift, 2, 0}, 20);
  });
}

}  // namespace aaco
