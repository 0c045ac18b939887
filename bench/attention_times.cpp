// SPDX-License-Identifier: MIT
// attention_times DEVICE REPEATS: how long attention and its gradient take on a device ("cuda:0"), by the device's own
// events around 20 of each, on random inputs that all the launches share. One JSON object a line; all REPEATS are
// listed. FLOPs are those of the matrix products alone. AACO_MODULES=build/bin: where the vendors' modules are.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <vector>

#include "device/backend.h"
#include "device/ops/op_work.h"

namespace {

using aaco::Dtype;
using aaco::Result;

constexpr int kLaunches = 20;

struct Shape {
  int32_t batch, heads, kv_heads, q_len, kv_len, head_dim;
  bool causal;
};

constexpr Shape kShapes[] = {
    {2, 8, 8, 512, 512, 128, false},  {4, 8, 8, 512, 512, 64, false},    {4, 8, 8, 512, 512, 64, true},
    {1, 16, 4, 2048, 2048, 64, true}, {1, 16, 4, 2048, 2048, 128, true}, {1, 8, 8, 1024, 1024, 256, false},
};

// Memory that lives as long as this.
class Arrays {
 public:
  explicit Arrays(aaco::Device& device, aaco::Stream& stream) : device_(device), stream_(stream) {}

  Result<void*> random(Dtype dtype, int64_t n) {
    AACO_ASSIGN(auto buffer,
                device_.allocate(static_cast<size_t>(n * aaco::size_of(dtype)), aaco::MemoryKind::kDevice));
    void* data = buffer->data();
    stream_.launch(
        aaco::RandomArgs{.out = data, .n = n, .seed = 1 + buffers_.size(), .low = -1, .high = 1, .dtype = dtype});
    buffers_.push_back(std::move(buffer));
    return data;
  }

 private:
  aaco::Device& device_;
  aaco::Stream& stream_;
  std::vector<std::unique_ptr<aaco::Buffer>> buffers_;
};

// [batch, row, head, d] without gaps, every tensor for itself.
Result<aaco::AttentionGradArgs> make_args(const Shape& shape, Dtype dtype, Arrays& arrays) {
  aaco::AttentionGradArgs args;
  aaco::AttentionArgs& forward = args.forward;
  forward.batch = shape.batch;
  forward.heads = shape.heads;
  forward.kv_heads = shape.kv_heads;
  forward.q_len = shape.q_len;
  forward.kv_len = shape.kv_len;
  forward.head_dim = shape.head_dim;
  forward.scale = 1 / std::sqrt(static_cast<float>(shape.head_dim));
  forward.causal = shape.causal ? 1 : 0;
  forward.dtype = dtype;
  const int64_t q_row = int64_t{shape.heads} * shape.head_dim;
  const int64_t kv_row = int64_t{shape.kv_heads} * shape.head_dim;
  forward.q_layout = forward.out_layout = {shape.q_len * q_row, q_row, shape.head_dim};
  forward.kv_layout = {shape.kv_len * kv_row, kv_row, shape.head_dim};
  const int64_t q = shape.batch * forward.q_layout.batch;
  const int64_t kv = shape.batch * forward.kv_layout.batch;
  const int64_t rows = int64_t{shape.batch} * shape.heads * shape.q_len;
  AACO_ASSIGN(forward.q, arrays.random(dtype, q));
  AACO_ASSIGN(forward.k, arrays.random(dtype, kv));
  AACO_ASSIGN(forward.v, arrays.random(dtype, kv));
  AACO_ASSIGN(forward.out, arrays.random(dtype, q));
  AACO_ASSIGN(void* const log_sum, arrays.random(Dtype::kF32, rows));
  AACO_ASSIGN(args.out_grad, arrays.random(dtype, q));
  AACO_ASSIGN(args.dq, arrays.random(dtype, q));
  AACO_ASSIGN(args.dk, arrays.random(dtype, kv));
  AACO_ASSIGN(args.dv, arrays.random(dtype, kv));
  AACO_ASSIGN(void* const delta, arrays.random(Dtype::kF32, rows));
  forward.log_sum = static_cast<float*>(log_sum);
  args.delta = static_cast<float*>(delta);
  return args;
}

// Microseconds of one launch, as often as asked.
template <class Args>
Result<std::vector<double>> times_of(aaco::Device& device, aaco::Stream& stream, const Args& args, int repeats) {
  AACO_ASSIGN(const auto begin, device.make_event(true));
  AACO_ASSIGN(const auto end, device.make_event(true));
  stream.launch(args);
  std::vector<double> times;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    stream.record(*begin);
    for (int i = 0; i < kLaunches; ++i) {
      stream.launch(args);
    }
    stream.record(*end);
    AACO_TRY(stream.synchronize());
    AACO_ASSIGN(const double elapsed_ns, device.elapsed_ns(*begin, *end));
    times.push_back(elapsed_ns / kLaunches / 1e3);
  }
  return times;
}

void print(const char* op, const Shape& shape, Dtype dtype, double flops, const std::vector<double>& times_us) {
  fmt::print(
      "{{\"op\": \"{}\", \"dtype\": \"{}\", \"batch\": {}, \"heads\": {}, \"kv_heads\": {}, \"q_len\": {}, "
      "\"kv_len\": {}, \"head_dim\": {}, \"causal\": {}, \"flops\": {}, \"us\": [{:.3f}]}}\n",
      op, aaco::name_of(dtype), shape.batch, shape.heads, shape.kv_heads, shape.q_len, shape.kv_len, shape.head_dim,
      shape.causal, flops, fmt::join(times_us, ", "));
}

Result<void> measure(aaco::Device& device, int repeats) {
  AACO_ASSIGN(const auto stream, device.make_stream(device.properties().lowest_priority));
  for (const Shape& shape : kShapes) {
    for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBf16}) {
      Arrays arrays(device, *stream);
      AACO_ASSIGN(auto args, make_args(shape, dtype, arrays));
      AACO_ASSIGN(const auto forward_us, times_of(device, *stream, args.forward, repeats));
      AACO_ASSIGN(const auto gradient_us, times_of(device, *stream, args, repeats));
      print("attention", shape, dtype, work_of(args.forward).flops, forward_us);
      print("attention_grad", shape, dtype, work_of(args).flops, gradient_us);
      if (dtype == Dtype::kF32) {
        const int64_t pairs = int64_t{2} * shape.batch * shape.heads * shape.q_len * shape.kv_len;
        AACO_ASSIGN(void* const scratch, arrays.random(Dtype::kF32, pairs));
        args.pairs = static_cast<float*>(scratch);
        AACO_ASSIGN(const auto by_pairs_us, times_of(device, *stream, args, repeats));
        print("attention_grad by pairs", shape, dtype, work_of(args).flops, by_pairs_us);
      }
    }
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 2 ? std::stoi(argv[2]) : 0;
  if (repeats < 1) {
    std::fputs("attention_times: DEVICE REPEATS, as in attention_times cuda:0 10\n", stderr);
    return 2;
  }
  const auto device = aaco::open_device(argv[1]);
  const Result<void> done = device ? measure(**device, repeats) : device.error();
  if (!done) {
    std::fprintf(stderr, "attention_times: %s\n", done.error().message.c_str());
    return 6;
  }
  return 0;
}
