// SPDX-License-Identifier: MIT
#include "kind/copy/copy_samples.h"

#include <fmt/format.h>
#include <utility>

namespace aaco {

std::vector<NamedSample> samples_of(const CopyDocument& document) {
  const CopyRequest& request = document.request;
  std::vector<NamedSample> samples;
  for (const CopyFigures& figures : document.directions) {
    for (const CopyVariant variant :
         {CopyVariant::kSerial, CopyVariant::kOverlapped, CopyVariant::kProducts, CopyVariant::kCopy}) {
      std::vector<double> medians;
      for (const CopyTimes& times : figures.processes) {
        medians.push_back(times[static_cast<size_t>(variant)]);
      }
      NamedSample named = measured_sample(fmt::format("{}, {}", word_of(figures.direction), word_of(variant)),
                                          document.created_utc, std::move(medians));
      SampleConfiguration& configuration = named.sample.configuration;
      configuration.model_name =
          fmt::format("{} products of {} x {}", request.products, request.matrix_size, request.matrix_size);
      configuration.backend = request.peer.empty() ? request.device : request.device + " to " + request.peer;
      configuration.provider = document.device_name;
      configuration.dims = {{"bytes of a copy", request.copy_bytes()}};
      configuration.precision = request.precision;
      samples.push_back(std::move(named));
    }
  }
  return samples;
}

Result<std::vector<NamedSample>> copy_samples(const Json& document, const std::string& source) {
  AACO_ASSIGN(const CopyDocument copies, read_copy_document(document, source));
  return samples_of(copies);
}

}  // namespace aaco
