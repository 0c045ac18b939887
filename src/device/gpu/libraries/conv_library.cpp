// SPDX-License-Identifier: MIT
#include "device/gpu/libraries/conv_library.h"

#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "device/gpu/libraries/conv_vendor.h"
#include "device/gpu/libraries/library_workspace.h"
#include "device/ops/conv_shape.h"

namespace aaco::gpu {

namespace {

bool is_declined() {
  static const bool declined = [] {
    const char* value = std::getenv("AACO_CONV_LIBRARY");
    return value != nullptr && std::string_view(value) == "0";
  }();
  return declined;
}

struct PreparedConv {
  std::unique_ptr<ConvPlan> plan;
  std::vector<ConvAlgorithm> algorithms;  // the first is used; one that turns out not to be supported goes
};

// Of a stream: no other thread uses it, so that it needs no lock.
struct StreamConv {
  LibraryWorkspace workspace;
  std::unique_ptr<ConvHandle> handle;
  std::map<ConvKey, PreparedConv> prepared;
};

// Libraries count elements in 32 bits, and may read 16 bytes at a time.
bool is_for_libraries(const ConvArgs& args) {
  const ConvShape shape = shape_of(args);
  const int64_t inputs = int64_t{args.c} * args.h * args.w * args.n;
  const int64_t outputs = shape.out_pixels() * args.o * args.n;
  const int64_t weights = shape.filter_size() * args.o;
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  uintptr_t addresses = 0;
  for (const void* pointer : {args.in, args.weight, args.bias, static_cast<const void*>(args.out)}) {
    addresses |= reinterpret_cast<uintptr_t>(pointer);
  }
  return inputs > 0 && outputs > 0 && weights > 0 && inputs <= kMost && outputs <= kMost && weights <= kMost &&
         addresses % 16 == 0;
}

StreamConv& stream_conv(StreamContext& stream) {
  if (!stream.conv) {
    auto state = std::make_shared<StreamConv>();
    state->handle = make_conv_handle(stream);
    stream.conv = std::move(state);
  }
  return *static_cast<StreamConv*>(stream.conv.get());
}

void prepare(StreamContext& stream, StreamConv& state, PreparedConv& prepared, const ConvArgs& args) {
  prepared.plan = state.handle->make_plan(stream, args);
  if (!stream.failed()) {
    prepared.algorithms = prepared.plan->algorithms(stream, args);
  }
}

// True where it was enqueued or failed.
bool run(StreamContext& stream, StreamConv& state, PreparedConv& prepared, const ConvArgs& args) {
  while (!stream.failed() && !prepared.algorithms.empty()) {
    const ConvAlgorithm& algorithm = prepared.algorithms.front();
    void* const workspace = state.workspace.at_least(stream, algorithm.workspace_bytes);
    if (stream.failed()) {
      break;
    }
    const ConvOutcome outcome = prepared.plan->run(stream, args, algorithm, workspace);
    if (outcome == ConvOutcome::kEnqueued && !algorithm.whole) {
      add_bias_and_relu(stream, args);
    }
    if (outcome != ConvOutcome::kNotSupported) {
      return true;
    }
    prepared.algorithms.erase(prepared.algorithms.begin());
  }
  return stream.failed();
}

}  // namespace

ConvKey key_of(const ConvArgs& args) {
  return {args.n,
          args.c,
          args.h,
          args.w,
          args.o,
          args.r,
          args.s,
          args.pad,
          args.stride,
          static_cast<int32_t>(args.dtype),
          static_cast<int32_t>(args.math),
          (args.bias != nullptr ? 1 : 0) | (args.relu != 0 ? 2 : 0)};
}

std::string conv_library_text() {
  if (is_declined()) {
    return "implicit GEMM: AACO_CONV_LIBRARY=0";
  }
  return conv_library() ? conv_library_version() : "implicit GEMM: " + conv_library().what_is_wrong();
}

bool convolve_by_library(StreamContext& stream, const ConvArgs& args) {
  if (is_declined() || !conv_library() || !is_for_libraries(args)) {
    return false;
  }
  std::optional<OutsideOfCapture> outside;
  const ConvKey key = key_of(args);
  const auto* known = static_cast<const StreamConv*>(stream.conv.get());
  const bool is_new = known == nullptr || !known->prepared.contains(key);
  if (is_new) {
    outside.emplace(stream);
  }
  StreamConv& state = stream_conv(stream);
  if (stream.failed()) {
    return true;
  }
  PreparedConv& prepared = state.prepared[key];
  if (is_new) {
    prepare(stream, state, prepared, args);
  }
  return run(stream, state, prepared, args);
}

}  // namespace aaco::gpu
