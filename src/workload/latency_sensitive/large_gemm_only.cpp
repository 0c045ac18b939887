// SPDX-License-Identifier: MIT
#include <array>

#include "workload/builder.h"
#include "workload/layers/matmul.h"
#include "workload/layers/product_check.h"
#include "workload/workload_list.h"

namespace aaco::workloads {

namespace {

constexpr Parameter kParameters[]{
    {"size", "8192", "rows and columns of the matrices"},
    {"operands", "random", "random or zeros: zeros flip no bits, so that a device at its power limit computes faster"},
    kDtypeParameter};
constexpr std::array<const char*, 2> kOperands{"random", "zeros"};
constexpr Parameter kTestParameters[]{{"size", "96", ""}};
constexpr Parameter kCpuParameters[]{{"size", "320", ""}};

Result<void> build(WorkloadBuilder& builder) {
  AACO_ASSIGN(const int64_t size, builder.parameters().integer("size", 1, 65536));
  AACO_ASSIGN(const Precision precision, builder.parameters().precision());
  AACO_ASSIGN(const size_t operands, builder.parameters().choice("operands", kOperands));
  const double bound = operands == 0 ? 1 : 0;
  for (int32_t stream = 0; stream < builder.streams(); ++stream) {
    const Tensor a = builder.random(precision.dtype, {size, size}, -bound, bound);
    const Tensor b = builder.random(precision.dtype, {size, size}, -bound, bound);
    const Tensor c = builder.tensor(precision.dtype, {size, size});
    builder.iteration().op(stream, matmul(a, b, c, precision));
    const std::string name = "product " + std::to_string(stream);
    builder.output(name, c);
    if (!is_product_checked(stream, builder.streams())) {
      continue;
    }
    builder.check([=](DeviceReader& reader, int64_t) { return check_product_row(reader, name, a, b, c, precision); });
  }
  builder.units(builder.iteration().flops() / 1e12);
  return {};
}

}  // namespace

const WorkloadInfo large_gemm_only{
    .id = "large_gemm_only",
    .alias = "",
    .priority = "P0",
    .category = "latency_sensitive",
    .unit = "TFLOP",
    .summary = "One large matrix product per stream",
    .about =
        "The reference for throughput: each product alone fills the device, so that streams can gain nothing and "
        "should lose nothing. What is lost against one stream is the price of sharing.",
    .recommended_streams = 4,
    .switch_sensitivity = "low",
    .parameters = kParameters,
    .test_parameters = kTestParameters,
    .cpu_parameters = kCpuParameters,
    .build = build};

}  // namespace aaco::workloads
