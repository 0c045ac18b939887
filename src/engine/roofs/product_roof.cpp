// SPDX-License-Identifier: MIT
#include "engine/roofs/product_roof.h"

#include <algorithm>
#include <array>
#include <memory>

#include "base/clock.h"
#include "engine/orchestrator.h"
#include "workload/layers/matmul.h"

namespace aaco {

namespace {

constexpr int64_t kFullNs = 250'000'000;
constexpr std::array<int64_t, 3> kGpuSizes{2048, 4096, 8192};
constexpr std::array<int64_t, 3> kCpuSizes{256, 512, 1024};

class ProductTimer {
 public:
  ProductTimer(Device& device, Stream& stream, Precision precision, int64_t full_ns)
      : device_(device), stream_(stream), precision_(precision), full_ns_(full_ns) {}

  // FLOP/s of the product of two matrices of that size.
  Result<double> rate(int64_t size) {
    std::array<std::unique_ptr<Buffer>, 3> memory;
    std::array<Tensor, 3> matrices;
    for (size_t i = 0; i < memory.size(); ++i) {
      matrices[i] = Tensor{nullptr, precision_.dtype, {size, size}};
      AACO_ASSIGN(memory[i], device_.allocate(static_cast<size_t>(matrices[i].bytes()), MemoryKind::kDevice));
      matrices[i].data = memory[i]->data();
      stream_.launch(RandomArgs{matrices[i].data, size * size, i + 1, -1, 1, precision_.dtype});
    }
    const GemmArgs product = matmul(matrices[0], matrices[1], matrices[2], precision_);
    AACO_ASSIGN([[maybe_unused]] const int64_t first, time(product, 1));  // the library chooses its algorithm
    AACO_ASSIGN(const int64_t once, time(product, 1));
    const int64_t repeats = std::clamp<int64_t>(full_ns_ / std::max<int64_t>(once, 1), 1, 10'000);
    AACO_ASSIGN(const int64_t ns, time(product, repeats));
    const auto edge = static_cast<double>(size);
    return 2 * edge * edge * edge * static_cast<double>(repeats) / (static_cast<double>(ns) / 1e9);
  }

 private:
  Result<int64_t> time(const GemmArgs& product, int64_t repeats) {
    AACO_TRY(stream_.synchronize());
    const int64_t begun = monotonic_ns();
    for (int64_t i = 0; i < repeats; ++i) {
      stream_.launch(product);
    }
    AACO_TRY(stream_.synchronize());
    return monotonic_ns() - begun;
  }

  Device& device_;
  Stream& stream_;
  Precision precision_;
  int64_t full_ns_;
};

}  // namespace

Result<std::vector<ProductRoof>> measure_products(Device& device, Precision precision,
                                                  const std::string& precision_name, std::span<const int64_t> sizes,
                                                  int64_t full_ns) {
  AACO_ASSIGN(const auto stream, device.make_stream(device.properties().lowest_priority));
  ProductTimer timer(device, *stream, precision, full_ns);
  std::vector<ProductRoof> products;
  for (const int64_t size : sizes) {
    AACO_TRY(check_interrupt());
    AACO_ASSIGN(const double rate, timer.rate(size));
    products.push_back({rate, size, precision_name});
  }
  return products;
}

Result<ProductRoof> measure_product_roof(Device& device, Precision precision, const std::string& precision_name) {
  AACO_ASSIGN(
      const auto products,
      measure_products(device, precision, precision_name,
                       device.properties().wave_lanes > 1 ? std::span(kGpuSizes) : std::span(kCpuSizes), kFullNs));
  return *std::max_element(products.begin(), products.end(),
                           [](const ProductRoof& a, const ProductRoof& b) { return a.flops_per_s < b.flops_per_s; });
}

}  // namespace aaco
