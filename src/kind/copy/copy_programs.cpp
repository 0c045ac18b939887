// SPDX-License-Identifier: MIT
#include "kind/copy/copy_programs.h"

#include <cstring>
#include <fmt/format.h>

#include "device/backend.h"
#include "workload/builder.h"
#include "workload/checks/verify.h"
#include "workload/layers/matmul.h"

namespace aaco {

namespace {

constexpr int32_t kProductStream = 0;
constexpr int32_t kCopyStream = 1;
constexpr int32_t kStreams = 2;

constexpr WorkloadInfo kInfo{.id = "copy beside products",
                             .alias = "",
                             .priority = "",
                             .category = "",
                             .unit = "copies",
                             .summary = "",
                             .about = "",
                             .recommended_streams = kStreams,
                             .switch_sensitivity = "low",
                             .parameters = {},
                             .test_parameters = {},
                             .build = nullptr};

struct CopyArrays {
  Tensor a;
  Tensor b;
  Tensor c;
  Tensor source;
  Tensor destination;
};

void add_products(Program& program, const CopyArrays& arrays, const CopyRequest& request) {
  const Precision precision{arrays.a.dtype, MathMode::kF32};
  for (int64_t i = 0; i < request.products; ++i) {
    program.op(kProductStream, matmul(arrays.a, arrays.b, arrays.c, precision));
    UnaryArgs relu{arrays.c.data, arrays.c.data, arrays.c.elements()};
    relu.op = UnaryOp::kRelu;
    relu.in_dtype = arrays.c.dtype;
    relu.out_dtype = arrays.c.dtype;
    program.op(kProductStream, relu);
  }
}

void add_copy(Program& program, int32_t stream, const CopyArrays& arrays) {
  program.copy(stream, arrays.destination.data, arrays.source.data, static_cast<size_t>(arrays.source.bytes()));
}

std::vector<Program> programs_of(const CopyArrays& arrays, const CopyRequest& request) {
  std::vector<Program> programs;
  for (size_t i = 0; i < kCopyVariants; ++i) {
    Program& program = programs.emplace_back(kStreams);
    switch (static_cast<CopyVariant>(i)) {
      case CopyVariant::kSerial:
        add_products(program, arrays, request);
        add_copy(program, kProductStream, arrays);
        break;
      case CopyVariant::kOverlapped:
        program.after(kCopyStream, kProductStream);
        add_copy(program, kCopyStream, arrays);
        add_products(program, arrays, request);
        program.after(kProductStream, kCopyStream);
        break;
      case CopyVariant::kProducts:
        add_products(program, arrays, request);
        break;
      case CopyVariant::kCopy:
        add_copy(program, kProductStream, arrays);
        break;
    }
  }
  return programs;
}

// The source has other bytes at every place, so that a copy that stops early shows.
CopyArrays make_arrays(WorkloadBuilder& builder, const CopyRequest& request, CopyDirection direction) {
  const Dtype dtype = request.precision == "bf16" ? Dtype::kBf16 : Dtype::kF32;
  const int64_t size = request.matrix_size;
  const int64_t bytes = request.copy_bytes();
  CopyArrays arrays;
  arrays.a = builder.random(dtype, {size, size}, -1, 1);
  arrays.b = builder.random(dtype, {size, size}, -1, 1);
  arrays.c = builder.tensor(dtype, {size, size});
  const bool from_host = direction == CopyDirection::kHostToDevice;
  const bool to_host = direction == CopyDirection::kDeviceToHost;
  // Random values are floats; what is behind the last whole one stays zero.
  arrays.source = from_host ? builder.pinned(Dtype::kU8, {bytes}) : builder.tensor(Dtype::kU8, {bytes});
  if (arrays.source.data != nullptr) {
    builder.setup().op(0, RandomArgs{arrays.source.data, bytes / 4, request.seed, -1, 1, Dtype::kF32});
  }
  arrays.destination = to_host ? builder.pinned(Dtype::kU8, {bytes})
                               : builder.tensor(Dtype::kU8, {bytes}, direction == CopyDirection::kPeer ? 1 : 0);
  return arrays;
}

Result<void> run_setup(PreparedCopy& prepared) {
  ProgramTarget setup = prepared.target;
  AACO_ASSIGN(const auto dispatcher, make_dispatcher(DispatchMode::kSingle, prepared.instance->setup, setup));
  AACO_TRY(dispatcher->enqueue());
  return synchronize(setup);
}

}  // namespace

Result<std::unique_ptr<PreparedCopy>> prepare_copy(const CopyRequest& request, CopyDirection direction) {
  auto prepared = std::make_unique<PreparedCopy>();
  AACO_ASSIGN(prepared->device, open_device(request.device));
  WorkloadRequest built;
  built.devices = {prepared->device};
  built.streams = kStreams;
  built.seed = request.seed;
  if (direction == CopyDirection::kPeer) {
    AACO_ASSIGN(Device * peer, open_device(request.peer));
    AACO_TRY(prepared->device->enable_peer(*peer));
    AACO_TRY(peer->enable_peer(*prepared->device));
    built.devices.push_back(peer);
  }
  CopyArrays arrays;
  AACO_ASSIGN(prepared->instance, build_instance(kInfo, built, [&](WorkloadBuilder& builder) -> Result<void> {
                arrays = make_arrays(builder, request, direction);
                return {};
              }));
  prepared->programs = programs_of(arrays, request);
  prepared->source = arrays.source;
  prepared->destination = arrays.destination;
  for (Device* device : built.devices) {
    const DeviceProperties& properties = device->properties();
    for (int32_t stream = 0; stream < kStreams; ++stream) {
      AACO_ASSIGN(prepared->streams.emplace_back(),
                  device->make_stream(stream == kCopyStream ? properties.highest_priority : 0));
      prepared->target.streams.push_back(prepared->streams.back().get());
      prepared->target.devices.push_back(device);
    }
  }
  AACO_TRY(run_setup(*prepared));
  prepared->target.streams.resize(kStreams);
  prepared->target.devices.resize(kStreams);
  return prepared;
}

Result<void> check_copied(const PreparedCopy& prepared) {
  AACO_ASSIGN(const auto reader, make_device_reader(*prepared.device));
  const auto bytes = static_cast<size_t>(prepared.source.bytes());
  std::vector<std::byte> source(bytes);
  std::vector<std::byte> destination(bytes);
  AACO_TRY(reader->bytes(source.data(), prepared.source.data, bytes));
  AACO_TRY(reader->bytes(destination.data(), prepared.destination.data, bytes));
  if (std::memcmp(source.data(), destination.data(), bytes) != 0) {
    return Error{ErrorKind::kInvalid, fmt::format("a copy of {} bytes did not arrive whole", bytes),
                 "report it with aaco doctor's output"};
  }
  return {};
}

}  // namespace aaco
