// SPDX-License-Identifier: MIT
#include "verdict/drift.h"

#include <fmt/format.h>
#include <system_error>

#include "base/files/cache_folder.h"
#include "base/json/json.h"

namespace aaco {

AACO_JSON_FIELDS(MeasuredDrift, drift_pct, pairs, measured_at, cpu_model)

std::filesystem::path drift_file() { return cache_folder() / "drift.json"; }

Result<std::optional<MeasuredDrift>> read_drift(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return std::optional<MeasuredDrift>();
  }
  AACO_ASSIGN(const Json json, read_json(file));
  AACO_ASSIGN(const MeasuredDrift drift, from_json_value<MeasuredDrift>(json, file.string()));
  if (!json.contains("drift_pct") || !(drift.drift_pct >= 0) || !(drift.drift_pct < 1000) || drift.pairs < 1) {
    return Error{ErrorKind::kUsage, file.string() + ": holds no drift",
                 fmt::format("remove the file, or measure again: {} {}", kDriftMeasurement, file.string())};
  }
  return std::optional(drift);
}

bool drift_applies(const MeasuredDrift& drift, const Json& environment) {
  const Json::json_pointer model("/cpu/model");
  return !drift.cpu_model.empty() && environment.contains(model) && environment[model] == drift.cpu_model;
}

Result<void> add_measured_drift(const Json& environment, CompareOptions& options) {
  AACO_ASSIGN(const std::optional<MeasuredDrift> measured, read_drift(drift_file()));
  if (measured && drift_applies(*measured, environment)) {
    options.drift = measured->drift_pct / 100;
    options.drift_source =
        fmt::format("{:.3g} % over {} A/A pairs on {}", measured->drift_pct, measured->pairs, measured->measured_at);
  }
  return {};
}

}  // namespace aaco
