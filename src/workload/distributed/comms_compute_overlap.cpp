// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>

#include "workload/layers/closeness.h"
#include "workload/layers/collectives.h"
#include "workload/layers/matmul.h"
#include "workload/workload_list.h"

namespace aaco::workloads {

namespace {

constexpr std::array<const char*, 3> kModes{"comms_compute", "compute_only", "comms_only"};
constexpr std::array<const char*, 6> kCollectives{"all_reduce", "reduce_scatter", "all_gather",
                                                  "all_to_all", "broadcast",      "send_next"};
constexpr std::array<const char*, 3> kDtypes{"fp32", "bf16", "fp16"};

constexpr Parameter kParameters[]{
    {"mode", "comms_compute", "comms_compute, compute_only or comms_only: overlap is told by comparing the three"},
    {"m", "2048", "rows of the products"},
    {"n", "2048", "columns of the products"},
    {"k", "2048", "terms of the products' sums"},
    {"products", "10", "products on each compute stream, one behind the other"},
    {"collectives", "1", "collectives, one behind the other on stream 0"},
    {"collective", "all_reduce", "all_reduce, reduce_scatter, all_gather, all_to_all, broadcast or send_next"},
    {"comm_bytes", "134217728", "bytes of a collective's whole"},
    {"comm_dtype", "fp32", "type of what is communicated: fp32, bf16 or fp16"},
    kDtypeParameter};
constexpr Parameter kTestParameters[]{{"m", "48", ""},       {"n", "40", ""},          {"k", "56", ""},
                                      {"products", "3", ""}, {"collectives", "2", ""}, {"comm_bytes", "98304", ""}};
constexpr Parameter kCpuParameters[]{
    {"m", "128", ""}, {"n", "128", ""}, {"k", "128", ""}, {"comm_bytes", "4194304", ""}};

bool in_chunks(Collective collective) {
  return collective == Collective::kReduceScatter || collective == Collective::kAllGather ||
         collective == Collective::kAllToAll;
}

struct Communication {
  Collective collective = Collective::kAllReduce;
  int64_t count = 0;  // as the communicator counts
  int64_t world = 1;
  CollectiveBuffers buffers;

  // What rank `rank` sends; emulated ones send what the first does.
  const Tensor& sent_by(int64_t rank) const {
    return buffers.send[static_cast<size_t>(rank) < buffers.send.size() ? static_cast<size_t>(rank) : 0];
  }
};

// What the first rank should have received in `length` elements from `from` on, within one chunk.
Result<std::vector<float>> expected(DeviceReader& reader, const Communication& done, int64_t from, int64_t length) {
  std::vector<float> values(static_cast<size_t>(length));
  switch (done.collective) {
    case Collective::kAllReduce:
    case Collective::kReduceScatter:
      for (int64_t rank = 0; rank < done.world; ++rank) {
        AACO_ASSIGN(const std::vector<float> part, reader.floats(done.sent_by(rank).view(from, {length})));
        std::transform(values.begin(), values.end(), part.begin(), values.begin(), std::plus<>());
      }
      return values;
    case Collective::kAllGather:
    case Collective::kAllToAll:
      return reader.floats(done.sent_by(from / done.count).view(from % done.count, {length}));
    case Collective::kBroadcast:
      return reader.floats(done.sent_by(0).view(from, {length}));
    case Collective::kSendNext:
      return reader.floats(done.sent_by(done.world - 1).view(from, {length}));
  }
  return values;
}

// The first and last elements of every chunk, at most kSample of each.
Result<void> check_communication(DeviceReader& reader, const Communication& done) {
  constexpr int64_t kSample = 4096;
  const Tensor& received = done.buffers.receive.front();
  const int64_t sample = std::min(kSample, done.count);
  for (int64_t chunk = 0; chunk < received.elements(); chunk += done.count) {
    for (const int64_t from : {chunk, chunk + done.count - sample}) {
      AACO_ASSIGN(const std::vector<float> is, reader.floats(received.view(from, {sample})));
      AACO_ASSIGN(const std::vector<float> should_be, expected(reader, done, from, sample));
      AACO_TRY(expect_close(fmt::format("comms_compute_overlap: {} elements of the {} from element {} on", sample,
                                        kCollectives[static_cast<size_t>(done.collective)], from),
                            is, should_be, order_tolerance({received.dtype, MathMode::kF32})));
    }
  }
  return {};
}

Result<void> add_communication(WorkloadBuilder& builder) {
  const Parameters& given = builder.parameters();
  Communication communication;
  AACO_ASSIGN(const size_t collective, given.choice("collective", kCollectives));
  AACO_ASSIGN(const int64_t times, given.integer("collectives", 1, 10'000));
  AACO_ASSIGN(const size_t type, given.choice("comm_dtype", kDtypes));
  const Dtype dtype = std::array{Dtype::kF32, Dtype::kBf16, Dtype::kF16}[type];
  const int64_t world = builder.world();
  AACO_ASSIGN(const int64_t bytes, given.integer("comm_bytes", size_of(dtype) * world, int64_t{1} << 40));
  const int64_t chunk = bytes / size_of(dtype) / world;
  communication.collective = static_cast<Collective>(collective);
  communication.world = world;
  communication.count = in_chunks(communication.collective) ? chunk : chunk * world;
  const int64_t sent = communication.collective == Collective::kAllGather ? chunk : chunk * world;
  const int64_t received = communication.collective == Collective::kReduceScatter ? chunk : chunk * world;
  for (int32_t rank = 0; rank < builder.ranks(); ++rank) {
    communication.buffers.send.push_back(builder.random(dtype, {sent}, -1, 1, rank));
    communication.buffers.receive.push_back(builder.tensor(dtype, {received}, rank));
    builder.output("received", communication.buffers.receive.back(), rank);
  }
  for (int64_t i = 0; i < times; ++i) {
    add_collective(builder, builder.iteration(), communication.collective, 0, communication.buffers,
                   communication.count);
  }
  builder.check([communication](DeviceReader& reader, int64_t) { return check_communication(reader, communication); });
  if (world == 1) {
    builder.note("one rank: the collective is a copy within the device");
  }
  return {};
}

// The first row of the product.
Result<void> check_product(DeviceReader& reader, const Tensor& a, const Tensor& b, const Tensor& c,
                           Precision precision) {
  AACO_ASSIGN(const std::vector<float> row, reader.floats(a.view(0, {a.cols()})));
  AACO_ASSIGN(const std::vector<float> columns, reader.floats(b));
  AACO_ASSIGN(const std::vector<float> is, reader.floats(c.view(0, {c.cols()})));
  std::vector<double> sums(is.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    sums[i % sums.size()] += static_cast<double>(row[i / sums.size()]) * columns[i];
  }
  return expect_close("comms_compute_overlap: a row of a product", is, {sums.begin(), sums.end()},
                      order_tolerance(precision));
}

Result<void> add_compute(WorkloadBuilder& builder) {
  const Parameters& given = builder.parameters();
  AACO_ASSIGN(const int64_t m, given.integer("m", 1, 65536));
  AACO_ASSIGN(const int64_t n, given.integer("n", 1, 65536));
  AACO_ASSIGN(const int64_t k, given.integer("k", 1, 65536));
  AACO_ASSIGN(const int64_t products, given.integer("products", 1, 100'000));
  AACO_ASSIGN(const Precision precision, given.precision());
  const int32_t first = builder.streams() > 1 ? 1 : 0;
  for (int32_t rank = 0; rank < builder.ranks(); ++rank) {
    for (int32_t index = first; index < builder.streams(); ++index) {
      const Tensor a = builder.random(precision.dtype, {m, k}, -1, 1, rank);
      const Tensor b = builder.random(precision.dtype, {k, n}, -1, 1, rank);
      const Tensor c = builder.tensor(precision.dtype, {m, n}, rank);
      builder.output(fmt::format("product of stream {}", index), c, rank);
      for (int64_t i = 0; i < products; ++i) {
        builder.iteration().op(builder.stream(rank, index), matmul(a, b, c, precision));
      }
      if (rank == 0 && (index == first || index + 1 == builder.streams())) {
        builder.check([=](DeviceReader& reader, int64_t) { return check_product(reader, a, b, c, precision); });
      }
    }
  }
  builder.units(builder.iteration().flops() / 1e12);
  return {};
}

Result<void> build(WorkloadBuilder& builder) {
  AACO_ASSIGN(const size_t mode, builder.parameters().choice("mode", kModes));
  if (mode != 1) {
    AACO_TRY(add_communication(builder));
  }
  if (mode != 2) {
    AACO_TRY(add_compute(builder));
  } else {
    builder.note("comms_only computes nothing, so there is no throughput: bus bandwidth is the bytes over the time");
  }
  return {};
}

}  // namespace

const WorkloadInfo comms_compute_overlap{
    .id = "comms_compute_overlap",
    .alias = "",
    .priority = "P1",
    .category = "distributed",
    .unit = "TFLOP",
    .summary = "Collectives on one stream beside matrix products on all others, and each of both alone",
    .about =
        "Stream 0 communicates, every other stream multiplies matrices of its own, and nothing waits for anything "
        "(one stream does both in turn). Overlap is what the time of comms_compute lacks against the sum of "
        "compute_only and comms_only; contention is what it has above the larger of both. Streams have the same work "
        "however many there are, so that more streams are more work.",
    .recommended_streams = 4,
    .switch_sensitivity = "high",
    .parameters = kParameters,
    .test_parameters = kTestParameters,
    .cpu_parameters = kCpuParameters,
    .build = build};

}  // namespace aaco::workloads
