// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>

#include "workload/checks/verify.h"

namespace aaco {

namespace {

constexpr size_t kStagingBytes = size_t{16} << 20;

class Reader final : public DeviceReader {
 public:
  Reader(std::unique_ptr<Stream> stream, std::unique_ptr<Buffer> staging)
      : stream_(std::move(stream)), staging_(std::move(staging)) {}

  Result<void> bytes(void* to, const void* from, size_t count) override {
    for (size_t at = 0; at < count; at += kStagingBytes) {
      const size_t part = std::min(kStagingBytes, count - at);
      stream_->copy(staging_->data(), static_cast<const char*>(from) + at, part);
      AACO_TRY(stream_->synchronize());
      std::memcpy(static_cast<char*>(to) + at, staging_->data(), part);
    }
    return {};
  }

  Result<std::vector<float>> floats(const Tensor& tensor) override {
    std::vector<float> values(static_cast<size_t>(tensor.elements()));
    if (tensor.dtype == Dtype::kF32) {
      AACO_TRY(bytes(values.data(), tensor.data, values.size() * sizeof(float)));
      return values;
    }
    std::vector<uint16_t> narrow(values.size());
    AACO_TRY(bytes(narrow.data(), tensor.data, narrow.size() * sizeof(uint16_t)));
    std::transform(narrow.begin(), narrow.end(), values.begin(), [&](uint16_t bits) {
      return tensor.dtype == Dtype::kF16 ? to_float(Half{bits}) : to_float(Bfloat16{bits});
    });
    return values;
  }

  Result<std::vector<int32_t>> integers(const Tensor& tensor) override {
    std::vector<int32_t> values(static_cast<size_t>(tensor.elements()));
    AACO_TRY(bytes(values.data(), tensor.data, values.size() * sizeof(int32_t)));
    return values;
  }

 private:
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Buffer> staging_;
};

}  // namespace

Result<std::unique_ptr<DeviceReader>> make_device_reader(Device& device) {
  AACO_ASSIGN(std::unique_ptr<Stream> stream, device.make_stream(device.properties().lowest_priority));
  AACO_ASSIGN(std::unique_ptr<Buffer> staging, device.allocate(kStagingBytes, MemoryKind::kPinnedHost));
  return std::unique_ptr<DeviceReader>(std::make_unique<Reader>(std::move(stream), std::move(staging)));
}

}  // namespace aaco
