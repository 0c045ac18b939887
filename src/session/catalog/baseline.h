// SPDX-License-Identifier: MIT
// A baseline file: what a later session is compared with, in one readable JSON file that outlives its session. It holds
// the sample of a run as the verdict made it (per-process medians, nodes, configuration, lockbox), or the samples of
// another kind of session, and which session it was.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_value.h"
#include "base/result.h"

namespace aaco {

inline constexpr int64_t kBaselineOfRun = 1;
inline constexpr int64_t kBaselineOfSamples = 2;
inline constexpr int64_t kBaselineSchemaVersion = kBaselineOfSamples;  // the newest

struct Baseline {
  int64_t schema_version = kBaselineOfRun;
  std::string saved_utc;  // ISO 8601
  std::string aaco_version;
  std::string session_id;
  std::string session_path;         // where it lay when the baseline was saved
  std::string session_json_sha256;  // of its session.json then
  JsonValue sample;
};

// "resnet50_cpu_b1.json"; without a batch of 0. Characters that do not belong in a file name become '-'.
std::string baseline_file_name(const std::string& model, const std::string& backend, int64_t batch);

bool is_baseline(const Json& json);

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
