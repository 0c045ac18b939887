// SPDX-License-Identifier: MIT
// A baseline file: what a later run is compared with, in one readable JSON file that outlives its session. It holds the
// sample of the run as the verdict made it (per-process medians, nodes, configuration, lockbox) and which session it
// was.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json_value.h"
#include "base/result.h"

namespace aaco {

inline constexpr int64_t kBaselineSchemaVersion = 1;

struct Baseline {
  int64_t schema_version = kBaselineSchemaVersion;
  std::string saved_utc;  // ISO 8601
  std::string aaco_version;
  std::string session_id;
  std::string session_path;         // where it lay when the baseline was saved
  std::string session_json_sha256;  // of its session.json then
  JsonValue sample;
};

// "resnet50_cpu_b1.json". Characters that do not belong in a file name become '-'.
std::string baseline_file_name(const std::string& model, const std::string& backend, int64_t batch);

// Atomic; makes the folder. An existing file of another session is kUsage unless `replace`.
Result<void> write_baseline(const std::filesystem::path& path, const Baseline& baseline, bool replace);

// Errors: kUsage for a missing or damaged file, one that is no baseline, or a newer schema than this program's.
Result<Baseline> read_baseline(const std::filesystem::path& path);

// One *.json of a folder: the baseline, or why it is none.
struct BaselineEntry {
  std::filesystem::path path;
  std::optional<Baseline> baseline;
  std::string problem;
};
// By file name. A missing folder is kUsage.
Result<std::vector<BaselineEntry>> list_baselines(const std::filesystem::path& folder);

}  // namespace aaco
