// SPDX-License-Identifier: MIT
#include "workload/checks/shadow_op.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace aaco {

namespace {

double element(const void* data, int64_t i, Dtype dtype) {
  switch (dtype) {
    case Dtype::kF32:
      return static_cast<double>(static_cast<const float*>(data)[i]);
    case Dtype::kF16:
      return static_cast<double>(to_float(static_cast<const Half*>(data)[i]));
    case Dtype::kBf16:
      return static_cast<double>(to_float(static_cast<const Bfloat16*>(data)[i]));
    case Dtype::kI32:
      return static_cast<const int32_t*>(data)[i];
    case Dtype::kU8:
      return static_cast<const uint8_t*>(data)[i];
  }
  return 0;
}

const void* moved(const void* pointer, int64_t elements, Dtype dtype) {
  return static_cast<const char*>(pointer) + elements * size_of(dtype);
}

// The same operation on less, where it is too much for the host.
bool cut(GemmArgs& args, double share, uint64_t seed) {
  if (args.batch > 1) {  // whole products: between bands of several lie rows that the host would not compute
    const auto whole = std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(args.batch) * share));
    share *= static_cast<double>(args.batch) / static_cast<double>(whole);
    args.batch = whole;
  }
  if (args.batch > 1 || share >= 1) {
    return true;
  }
  const int64_t rows = std::clamp<int64_t>(static_cast<int64_t>(static_cast<double>(args.m) * share), 1, args.m);
  const auto first = static_cast<int64_t>(seed % static_cast<uint64_t>(args.m - rows + 1));
  args.a = moved(args.a, first * (args.transpose_a != 0 ? 1 : args.lda), args.in_dtype);
  args.c = const_cast<void*>(moved(args.c, first * args.ldc, args.out_dtype));
  args.m = rows;
  return true;
}
bool cut(ConvArgs& args, double share, uint64_t) {
  args.n = std::max(1, static_cast<int32_t>(args.n * share));
  return true;
}
bool cut(AttentionArgs& args, double share, uint64_t) {
  args.batch = std::max(1, static_cast<int32_t>(args.batch * share));
  return true;
}
bool cut(AttentionGradArgs& args, double share, uint64_t seed) { return cut(args.forward, share, seed); }

template <class Args>
bool cut_args(void* args, double share, uint64_t seed) {
  return cut(*static_cast<Args*>(args), share, seed);
}

bool cut(OpId op, void* args, double share, uint64_t seed) {
  switch (op) {
    case OpId::kGemm:
      return cut_args<GemmArgs>(args, share, seed);
    case OpId::kConv:
      return cut_args<ConvArgs>(args, share, seed);
    case OpId::kAttention:
      return cut_args<AttentionArgs>(args, share, seed);
    case OpId::kAttentionGrad:
      return cut_args<AttentionGradArgs>(args, share, seed);
    default:
      return false;
  }
}

bool multiplies_in_tf32(OpId op, const void* args) {
  return (op == OpId::kGemm && static_cast<const GemmArgs*>(args)->math == MathMode::kTf32) ||
         (op == OpId::kConv && static_cast<const ConvArgs*>(args)->math == MathMode::kTf32);
}

}  // namespace

double tolerance_of(Dtype dtype, bool tf32) {
  switch (dtype) {
    case Dtype::kF32:
      return tf32 ? 1e-3 : 2e-5;
    case Dtype::kF16:
      return 1e-3;
    case Dtype::kBf16:
      return 8e-3;
    case Dtype::kI32:
    case Dtype::kU8:
      break;
  }
  return 0;
}

namespace {

bool has_number(const void* data, int64_t elements, Dtype dtype) {
  for (int64_t i = 0; i < elements; ++i) {
    if (!std::isnan(element(data, i, dtype))) {
      return true;
    }
  }
  return false;
}

}  // namespace

ArrayDifference difference_of(const void* actual, const void* expected, int64_t elements, Dtype dtype,
                              double tolerance) {
  if (elements > 0 && !has_number(expected, elements, dtype)) {
    return {std::numeric_limits<double>::infinity(),
            fmt::format("none of {} elements should be a number: no result can be told from another", elements)};
  }
  if (std::memcmp(actual, expected, static_cast<size_t>(elements * size_of(dtype))) == 0) {
    return {};
  }
  double squares = 0;
  double expected_squares = 0;
  double largest = 0;
  double worst = -1;
  int64_t worst_at = 0;
  bool incomparable = false;
  for (int64_t i = 0; i < elements; ++i) {
    const double a = element(actual, i, dtype);
    const double e = element(expected, i, dtype);
    if (a == e || (std::isnan(a) && std::isnan(e))) {
      expected_squares += std::isfinite(e) ? e * e : 0;
      largest = std::max(largest, std::isfinite(e) ? std::abs(e) : 0);
      continue;
    }
    const double apart =
        std::isfinite(a) && std::isfinite(e) ? std::abs(a - e) : std::numeric_limits<double>::infinity();
    incomparable = incomparable || !std::isfinite(apart);
    squares += apart * apart;
    expected_squares += std::isfinite(e) ? e * e : 0;
    largest = std::max(largest, std::isfinite(e) ? std::abs(e) : 0);
    if (apart > worst) {
      worst = apart;
      worst_at = i;
    }
  }
  ArrayDifference difference;
  if (worst >= 0) {
    difference.worst = fmt::format("element {} is {:.7g}, should be {:.7g}", worst_at, element(actual, worst_at, dtype),
                                   element(expected, worst_at, dtype));
    const double relative = std::max(expected_squares > 0 ? std::sqrt(squares / expected_squares) : 1,
                                     largest > 0 ? worst / (30 * largest) : 1);
    difference.error = incomparable || tolerance == 0 ? std::numeric_limits<double>::infinity() : relative / tolerance;
  }
  return difference;
}

Result<std::optional<ShadowOp>> ShadowOp::make(OpId op, const void* args, const ShadowLimits& limits, uint64_t seed,
                                               DeviceReader& reader) {
  ShadowOp shadow;
  shadow.op_ = op;
  const auto* bytes = static_cast<const std::byte*>(args);
  shadow.device_args_.assign(bytes, bytes + size_of_args(op));
  if (const double flops = work_of(op, args).flops; flops > limits.whole_flops) {
    shadow.in_part_ = cut(op, shadow.device_args_.data(), limits.whole_flops / flops, seed);
  }
  shadow.tf32_ = multiplies_in_tf32(op, args);
  OpWork work = work_of(op, shadow.device_args_.data());
  const int64_t touched = std::accumulate(work.arrays.begin(), work.arrays.end(), int64_t{0},
                                          [](int64_t sum, const OpArray& array) { return sum + array.bytes; });
  if (work.flops > limits.most_flops || touched > limits.most_bytes) {
    return std::optional<ShadowOp>();
  }
  shadow.arrays_ = std::move(work.arrays);
  std::vector<std::pair<uintptr_t, uintptr_t>> spans;
  for (const OpArray& array : shadow.arrays_) {
    const auto start = reinterpret_cast<uintptr_t>(array.pointer);
    spans.emplace_back(start, start + static_cast<uintptr_t>(array.bytes));
  }
  std::sort(spans.begin(), spans.end());
  for (const auto& [start, end] : spans) {
    if (shadow.regions_.empty() || start >= shadow.regions_.back().start + shadow.regions_.back().bytes.size()) {
      shadow.regions_.push_back({start, {}});
    }
    Region& region = shadow.regions_.back();
    region.bytes.resize(std::max(region.bytes.size(), static_cast<size_t>(end - region.start)));
  }
  for (Region& region : shadow.regions_) {
    const void* from = reinterpret_cast<const void*>(region.start);  // NOLINT(performance-no-int-to-ptr)
    AACO_TRY(reader.bytes(region.bytes.data(), from, region.bytes.size()));
  }
  return std::optional(std::move(shadow));
}

ShadowOp::Region& ShadowOp::region_of(const void* pointer) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  return *std::prev(std::upper_bound(regions_.begin(), regions_.end(), address,
                                     [](uintptr_t value, const Region& region) { return value < region.start; }));
}

void ShadowOp::run_on_host() {
  std::vector<std::byte> host_args = device_args_;
  for (const OpArray& array : arrays_) {
    Region& region = region_of(array.pointer);
    const void* host = region.bytes.data() + (reinterpret_cast<uintptr_t>(array.pointer) - region.start);
    std::memcpy(host_args.data() + array.pointer_offset, static_cast<const void*>(&host), sizeof(host));
  }
  run_on_cpu(op_, host_args.data());
}

Result<ArrayDifference> ShadowOp::compare(DeviceReader& reader) const {
  ArrayDifference worst;
  std::vector<std::byte> actual;
  for (const OpArray& array : arrays_) {
    if (array.access == Access::kRead || array.access == Access::kScratch) {
      continue;
    }
    actual.resize(static_cast<size_t>(array.bytes));
    AACO_TRY(reader.bytes(actual.data(), array.pointer, actual.size()));
    const Region& region = region_of(array.pointer);
    const std::byte* expected = region.bytes.data() + (reinterpret_cast<uintptr_t>(array.pointer) - region.start);
    const ArrayDifference difference = difference_of(actual.data(), expected, array.bytes / size_of(array.dtype),
                                                     array.dtype, tolerance_of(array.dtype, tf32_));
    if (difference.error > worst.error) {
      worst = difference;
    }
  }
  return worst;
}

}  // namespace aaco
