// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/format.h"
#include "device/backend.h"
#include "engine/roofs/product_roof.h"
#include "kind/training/document/training_request.h"
#include "kind/training/lab/copy_rate.h"
#include "kind/training/lab/lab_list.h"
#include "kind/training/lab/lab_steps.h"

namespace aaco {

namespace {

// Rows, and the names of those whose FLOPs a byte lie below the ridge.
std::vector<std::string> tabulate_parts(const std::vector<TrainingPart>& parts, double ridge, LabMeasurement& found) {
  std::vector<std::string> below;
  found.table = {{"part", "FLOPs", "bytes", "FLOP/B"}};
  for (const TrainingPart& part : parts) {
    if (part.flops <= 0 || part.ideal_bytes <= 0) {
      continue;
    }
    const double intensity = part.flops / part.ideal_bytes;
    found.table.push_back({part.phase + " " + part.part, format_si(part.flops, ""), format_si(part.ideal_bytes, ""),
                           fmt::format("{:.2f}", intensity)});
    if (intensity < ridge) {
      below.push_back(part.phase + " " + part.part);
    }
  }
  return below;
}

Result<LabMeasurement> measure(const LabRequest& request, const ProgressCallback& progress) {
  AACO_ASSIGN(const TrainingRequest training, complete_request(version_of(request, 4)));
  AACO_ASSIGN(const LlamaConfig config, llama_config_of(training));
  AACO_ASSIGN(const std::vector<TrainingPart> parts, count_parts(training));
  AACO_ASSIGN(Device * device, open_device(training.device));
  progress("a copy", 0.2);
  AACO_ASSIGN(const CopyRate copy, measure_copy_rate(*device));
  progress("products", 0.5);
  AACO_ASSIGN(const ProductRoof roof, measure_product_roof(*device, config.precision, training.precision));
  const double ridge = roof.flops_per_s / copy.bytes_per_s();
  const auto size = static_cast<double>(roof.size);
  LabMeasurement found;
  const std::vector<std::string> below = tabulate_parts(parts, ridge, found);
  found.facts = {{fmt::format("a copy of {} MiB", copy.bytes >> 20), format_duration_ns(copy.ns)},
                 {fmt::format("a product of size {}", roof.size),
                  format_duration_ns(2e9 * size * size * size / roof.flops_per_s)}};
  found.value = ridge;
  found.way = fmt::format(
      "The copy reads and writes its array: {}. The product is 2 x {}^3 FLOPs: {}. The roofline bends at their ratio, "
      "{:.2f} FLOP/B.",
      format_si(copy.bytes_per_s(), "B/s"), roof.size, format_si(roof.flops_per_s, "FLOP/s"), ridge);
  found.meaning = fmt::format(
      "Left of it, bytes bound: {}. Those gain from fusion, which saves bytes; parts right of it from better products "
      "or "
      "a cheaper precision.",
      below.empty() ? "none of the parts" : fmt::format("{}", fmt::join(below, ", ")));
  return found;
}

}  // namespace

Lab lab_roofline() {
  return {
      .title = "Roofline: bytes or arithmetic",
      .session = 4,
      .minutes = 10,
      .learn = "Measure a device's two roofs, find where they meet, and place each part of a step left or right of it.",
      .question = "At which arithmetic intensity does this device's roofline bend?",
      .unit = "in FLOP/B",
      .tolerance = 0.02,
      .hint = "a copy moves its bytes twice, a product of size n is 2 n^3 FLOPs; divide one rate by the other",
      .not_told =
          "caches: bytes are counted once for each array, from memory, and a part that fits a cache may be "
          "above the roof",
      .next =
          "aaco llama run --version 4 --preset nano --device cpu:0 --generate-report\n"
          "aaco doctor --measure",
      .on_amd = "rocprof-compute profile -n roof --roof-only -- aaco llama run --version 4 --device hip:0",
      .measure = measure};
}

}  // namespace aaco
