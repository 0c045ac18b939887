// SPDX-License-Identifier: MIT
#include "kind/training/lab/copy_rate.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "base/clock.h"

namespace aaco {

namespace {

constexpr int64_t kCpuBytes = int64_t{256} << 20;
constexpr int64_t kGpuBytes = int64_t{1} << 30;
constexpr int kTimes = 5;

}  // namespace

Result<CopyRate> measure_copy_rate(Device& device) {
  CopyRate rate;
  rate.bytes = device.properties().wave_lanes > 1 ? kGpuBytes : kCpuBytes;
  const auto bytes = static_cast<size_t>(rate.bytes);
  AACO_ASSIGN(const auto from, device.allocate(bytes, MemoryKind::kDevice));
  AACO_ASSIGN(const auto to, device.allocate(bytes, MemoryKind::kDevice));
  AACO_ASSIGN(const auto stream, device.make_stream(device.properties().lowest_priority));
  stream->set(from->data(), 1, bytes);
  stream->copy(to->data(), from->data(), bytes);  // the first one meets pages that nobody has touched
  AACO_TRY(stream->synchronize());
  rate.ns = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTimes; ++i) {
    const int64_t begun = monotonic_ns();
    stream->copy(to->data(), from->data(), bytes);
    AACO_TRY(stream->synchronize());
    rate.ns = std::min(rate.ns, static_cast<double>(monotonic_ns() - begun));
  }
  return rate;
}

}  // namespace aaco
