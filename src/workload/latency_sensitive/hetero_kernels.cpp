// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>

#include "workload/builder.h"
#include "workload/latency_sensitive/kernel_sizes.h"
#include "workload/layers/closeness.h"
#include "workload/layers/matmul.h"
#include "workload/layers/product_check.h"
#include "workload/workload_list.h"

namespace aaco::workloads {

namespace {

constexpr Parameter kParameters[]{
    {"large", "4096", "rows and columns of the large matrices"},
    {"small", "1024", "elements of the small arrays"},
    {"ratio", "10", "pairs of small kernels for each large one"},
    {"calibrate", "0", "1: large and small are made to take 10 ms and 10 us on the device, each alone"},
    {"pattern", "alternating", "alternating: small ones behind each large one; batched: all large ones first; random"},
    kDtypeParameter};
constexpr Parameter kTestParameters[]{{"large", "96", ""}, {"small", "64", ""}, {"ratio", "3", ""}};
constexpr Parameter kCpuParameters[]{{"large", "384", ""}};

struct Plan {
  int32_t large_streams = 0;
  int32_t small_streams = 0;   // behind the large ones; of one stream, the same
  std::vector<int64_t> order;  // of the large kernels (>= 0) and the small pairs (-1 - index)
};

Plan plan_of(int32_t streams, int64_t ratio, size_t pattern, uint64_t seed) {
  Plan plan;
  plan.large_streams = std::max(1, streams / 2);
  plan.small_streams = std::max(1, streams - plan.large_streams);
  for (int64_t large = 0; large < plan.large_streams; ++large) {
    plan.order.push_back(large);
    for (int64_t j = 0; j < ratio; ++j) {
      plan.order.push_back(-1 - (large * ratio + j));
    }
  }
  if (pattern == 1) {
    std::stable_partition(plan.order.begin(), plan.order.end(), [](int64_t item) { return item >= 0; });
  } else if (pattern == 2) {
    for (size_t i = plan.order.size(); i > 1; --i) {  // Fisher and Yates, with a generator of our own: same everywhere
      seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
      std::swap(plan.order[i - 1], plan.order[(seed >> 33) % i]);
    }
  }
  return plan;
}

constexpr double kLargeNs = 10e6;
constexpr double kSmallNs = 10e3;

Result<void> calibrate(WorkloadBuilder& builder, Precision precision, int64_t& large, int64_t& small) {
  AACO_ASSIGN(const TimedSize product, product_size(builder.device(0), precision, kLargeNs));
  AACO_ASSIGN(const TimedSize elements, element_count(builder.device(0), kSmallNs));
  large = product.size;
  small = elements.size;
  builder.note(fmt::format("calibrated: large {} takes {:.2f} ms, small {} takes {:.2f} us", large, product.ns / 1e6,
                           small, elements.ns / 1e3));
  return {};
}

Result<void> check_small(DeviceReader& reader, const Tensor& in, const Tensor& out) {
  AACO_ASSIGN(std::vector<float> should_be, reader.floats(in));
  AACO_ASSIGN(const std::vector<float> is, reader.floats(out));
  for (float& value : should_be) {
    value = 2 * value + 1;
  }
  return expect_close("what the small kernels leave", is, should_be, order_tolerance(Precision()));
}

Result<void> build(WorkloadBuilder& builder) {
  AACO_ASSIGN(int64_t size, builder.parameters().integer("large", 1, 65536));
  AACO_ASSIGN(int64_t small, builder.parameters().integer("small", 1, int64_t{1} << 28));
  AACO_ASSIGN(const size_t calibrated, builder.parameters().choice("calibrate", {{"0", "1"}}));
  AACO_ASSIGN(const int64_t ratio, builder.parameters().integer("ratio", 0, 10'000));
  AACO_ASSIGN(const size_t pattern, builder.parameters().choice("pattern", {{"alternating", "batched", "random"}}));
  AACO_ASSIGN(const Precision precision, builder.parameters().precision());
  if (calibrated != 0) {
    AACO_TRY(calibrate(builder, precision, size, small));
  }
  const Plan plan = plan_of(builder.streams(), ratio, pattern, 1);
  const Tensor in = builder.random(Dtype::kF32, {std::max<int64_t>(1, ratio * plan.large_streams), small}, -1, 1);
  const Tensor out = builder.tensor(Dtype::kF32, {in.rows(), small});
  for (const int64_t item : plan.order) {
    if (item >= 0) {
      const Tensor a = builder.random(precision.dtype, {size, size}, -1, 1);
      const Tensor b = builder.random(precision.dtype, {size, size}, -1, 1);
      const Tensor c = builder.tensor(precision.dtype, {size, size});
      builder.iteration().op(static_cast<int32_t>(item), matmul(a, b, c, precision));
      const std::string name = "product " + std::to_string(item);
      builder.output(name, c);
      if (!is_product_checked(item, plan.large_streams)) {
        continue;
      }
      builder.check([=](DeviceReader& reader, int64_t) { return check_product_row(reader, name, a, b, c, precision); });
      continue;
    }
    const int64_t pair = -1 - item;
    const int32_t first_small = builder.streams() > plan.large_streams ? plan.large_streams : 0;
    const int32_t stream = first_small + static_cast<int32_t>(pair % plan.small_streams);
    const Tensor from = in.view(pair * small, {small});
    const Tensor to = out.view(pair * small, {small});
    builder.iteration().op(stream, UnaryArgs{from.data, to.data, small, UnaryOp::kScaleShift, 2, 0});
    builder.iteration().op(stream, UnaryArgs{to.data, to.data, small, UnaryOp::kScaleShift, 1, 1});
  }
  builder.output("small", out);
  if (ratio > 0) {
    builder.check([=](DeviceReader& reader, int64_t) { return check_small(reader, in, out); });
  }
  builder.units(builder.iteration().flops() / 1e9);
  return {};
}

}  // namespace

const WorkloadInfo hetero_kernels{
    .id = "hetero_kernels",
    .alias = "",
    .priority = "P0",
    .category = "latency_sensitive",
    .unit = "GFLOP",
    .summary = "Large matrix products on half of the streams, tiny kernels on the others",
    .about =
        "The convoy: does a tiny kernel on one queue wait behind a large one on another? Half of the streams get a "
        "product each, the others ten pairs of tiny kernels for each product, all independent. Sizes are fixed, and "
        "what they take depends on the device; with calibrate=1 they are found by timing kernels there before, and the "
        "notes tell them.",
    .recommended_streams = 8,
    .switch_sensitivity = "critical",
    .parameters = kParameters,
    .test_parameters = kTestParameters,
    .cpu_parameters = kCpuParameters,
    .build = build};

}  // namespace aaco::workloads
