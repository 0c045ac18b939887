// SPDX-License-Identifier: MIT
#include "observe/telemetry/amdgpu/gpu_metrics.h"

#include <cstring>
#include <fmt/format.h>

namespace aaco {

namespace {

// All fields lie at multiples of their size; the throttle status is the last.
struct Header {
  uint16_t bytes;
  uint8_t format;
  uint8_t content;
};
constexpr size_t kBytesOf13 = 120;
constexpr size_t kThrottleStatusOf13 = 112;
constexpr uint64_t kUnset = ~uint64_t{0};  // the driver fills the table with ones first

Error unavailable(std::string why) {
  return {ErrorKind::kUnavailable, "throttling of the AMD GPU: " + std::move(why), "the other figures are there"};
}

}  // namespace

Result<uint64_t> throttle_status_of(std::string_view table) {
  Header header{};
  if (table.size() < sizeof(header)) {
    return unavailable("gpu_metrics is too short");
  }
  std::memcpy(&header, table.data(), sizeof(header));
  if (header.format != 1 || header.content != 3) {
    return unavailable(fmt::format("gpu_metrics is of version {}.{}, known is 1.3", header.format, header.content));
  }
  if (header.bytes != kBytesOf13 || table.size() < kBytesOf13) {
    return unavailable(fmt::format("gpu_metrics 1.3 has {} bytes instead of {}", header.bytes, kBytesOf13));
  }
  uint64_t status = 0;
  std::memcpy(&status, table.data() + kThrottleStatusOf13, sizeof(status));
  if (status == kUnset) {
    return unavailable("the driver does not fill that field of gpu_metrics");
  }
  return status;
}

}  // namespace aaco
