// SPDX-License-Identifier: MIT
#include "kind/training/lab/kept_lab.h"

#include <fmt/format.h>

#include "base/files/file.h"
#include "base/json/json.h"

namespace aaco {

namespace fs = std::filesystem;

fs::path kept_lab_file(const std::string& sessions, int32_t lab) {
  return fs::path(sessions) / "labs" / fmt::format("lab_{:02}.json", lab);
}

Result<std::optional<LabMeasurement>> read_kept_lab(const std::string& sessions, int32_t lab) {
  const fs::path file = kept_lab_file(sessions, lab);
  std::error_code error;
  if (!fs::exists(file, error)) {
    return std::optional<LabMeasurement>();
  }
  AACO_ASSIGN(const Json json, read_json(file));
  AACO_ASSIGN(LabMeasurement measurement, read_lab_measurement(json, file.string()));
  return std::optional(std::move(measurement));
}

Result<void> keep_lab(const std::string& sessions, const LabMeasurement& measurement) {
  const fs::path file = kept_lab_file(sessions, measurement.setup.lab);
  AACO_TRY(make_folders(file.parent_path()));
  return write_json(file, Json(measurement));
}

}  // namespace aaco
