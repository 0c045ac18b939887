// SPDX-License-Identifier: MIT
// How far two sessions of the same thing, recorded one after the other, lie apart on this machine: measured by A/A
// pairs (bench/aa.py) and kept in drift.json of the cache folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "verdict/compare.h"

namespace aaco {

// What measures it, in a clone of aaco. The file that it writes follows: drift_file(), where `aaco diff` looks for it.
inline constexpr const char* kDriftMeasurement = "bench/aa.py --output aa.json --save-drift";

// drift.json.
struct MeasuredDrift {
  double drift_pct = 0;  // 95 % quantile of |ratio - 1| over the pairs, percent
  int64_t pairs = 0;
  std::string measured_at;  // ISO 8601
  std::string cpu_model;    // as in the lockbox: cpu.model
};
void to_json(Json& json, const MeasuredDrift& value);
void from_json(const Json& json, MeasuredDrift& value);

// $AACO_CACHE/drift.json and so on: see base/files/cache_folder.h.
std::filesystem::path drift_file();

// Nothing when there is no such file. kUsage for a damaged one.
Result<std::optional<MeasuredDrift>> read_drift(const std::filesystem::path& file);

// Whether drift measured there says something about a session with this lockbox: the same processor model.
bool drift_applies(const MeasuredDrift& drift, const Json& environment);

// Into the options what was measured on the machine of this lockbox, where it was: in drift_file(). Errors: of a file
// that is there and cannot be read.
Result<void> add_measured_drift(const Json& environment, CompareOptions& options);

}  // namespace aaco
