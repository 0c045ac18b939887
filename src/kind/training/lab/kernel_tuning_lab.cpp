// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/format.h"
#include "device/backend.h"
#include "engine/roofs/product_roof.h"
#include "kind/training/document/training_request.h"
#include "kind/training/lab/lab_list.h"
#include "kind/training/lab/lab_steps.h"

namespace aaco {

namespace {

constexpr int kRounds = 5;  // sizes in turns, so that what disturbs one disturbs all
constexpr int64_t kFullNs = 30'000'000;
constexpr double kAsGood = 0.95;  // of the best rate
constexpr std::array<int64_t, 6> kCpuSizes{16, 32, 64, 128, 256, 512};
constexpr std::array<int64_t, 6> kGpuSizes{128, 256, 512, 1024, 2048, 4096};

Result<LabMeasurement> measure(const LabRequest& request, const ProgressCallback& progress) {
  AACO_ASSIGN(const TrainingRequest training, complete_request(version_of(request, 1)));
  AACO_ASSIGN(const LlamaConfig config, llama_config_of(training));
  AACO_ASSIGN(Device * device, open_device(training.device));
  const bool gpu = device->properties().wave_lanes > 1;
  progress("products of six sizes", 0.2);
  std::vector<ProductRoof> products;
  for (int round = 0; round < kRounds; ++round) {
    AACO_ASSIGN(const std::vector<ProductRoof> again,
                measure_products(*device, config.precision, training.precision, gpu ? kGpuSizes : kCpuSizes, kFullNs));
    products.resize(again.size());
    for (size_t i = 0; i < again.size(); ++i) {
      products[i] = again[i].flops_per_s > products[i].flops_per_s ? again[i] : products[i];
    }
  }
  LabMeasurement found;
  found.table = {{"size", "time of a product, us"}};
  for (const ProductRoof& product : products) {
    const auto size = static_cast<double>(product.size);
    found.choices.push_back(fmt::format("{}", product.size));
    found.table.push_back(
        {found.choices.back(), fmt::format("{:.4g}", 2e6 * size * size * size / product.flops_per_s)});
  }
  const auto best = std::ranges::max_element(products, {}, &ProductRoof::flops_per_s);
  const auto enough = std::ranges::find_if(
      products, [&](const auto& product) { return product.flops_per_s >= 0.5 * best->flops_per_s; });
  found.words = {fmt::format("{}", best->size)};
  for (const ProductRoof& product : products) {
    if (&product != &*best && product.flops_per_s > kAsGood * best->flops_per_s) {
      found.words.push_back(fmt::format("{}", product.size));
    }
  }
  found.facts = {{"device", fmt::format("{} ({})", device->properties().name, device->properties().gemm_library)},
                 {"times", fmt::format("the best of {} rounds", kRounds)},
                 {"a product of size n", "multiplies two matrices of n x n: 2 n^3 FLOPs"}};
  found.way = fmt::format("2 x {0}^3 FLOPs in the time of its row are {1}, the most of all rows.{2}", best->size,
                          format_si(best->flops_per_s, "FLOP/s"),
                          found.words.size() > 1
                              ? fmt::format(" Within 5 % of it, and so right too: {}.", fmt::join(found.words, ", "))
                              : "");
  found.meaning = fmt::format(
      "The smallest runs at {} of the best rate; half of it is reached at {}. A small product fills no tile, no vector "
      "and "
      "no "
      "multiprocessor, and pays the call's fixed cost: a step of many small ones gains from making fewer, larger ones "
      "(that is what fused qkv and gate-up do) more than from a better tile.",
      format_percent(products.front().flops_per_s / best->flops_per_s), enough->size);
  return found;
}

}  // namespace

Lab lab_kernel_tuning() {
  return {.title = "Tuning a kernel: the size that it likes",
          .session = 3,
          .minutes = 20,
          .learn = "Sweep a parameter, turn times into rates, and choose by the rate, not by the time.",
          .question = "At which size do products run at the most FLOPs a second?",
          .unit = "",
          .hint = "divide 2 n^3 by each time",
          .not_told =
              "which tile a kernel uses: on a GPU the library's algorithms are timed for each shape of a step, "
              "and the fastest is taken",
          .next =
              "aaco llama run --version 2 --preset nano --device cpu:0 --batch-size 1\n"
              "aaco llama run --version 2 --preset nano --device cpu:0 --batch-size 16",
          .on_amd = "rocprof-compute profile -n tiles --no-roof -- aaco llama run --version 2 --device hip:0",
          .measure = measure};
}

}  // namespace aaco
