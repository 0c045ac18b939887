// SPDX-License-Identifier: MIT
#include "session/catalog/baseline.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <system_error>

#include "base/files/file.h"
#include "base/json/json.h"

namespace aaco {

AACO_JSON_FIELDS(Baseline, schema_version, saved_utc, aaco_version, session_id, session_path, session_json_sha256,
                 sample)

namespace {

constexpr const char* kKind = "aaco baseline";

std::string file_name_part(const std::string& text) {
  std::string part;
  for (const char c : text) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
    part += fits ? c : '-';
  }
  // A leading dot would hide the file.
  return part.empty() || part[0] == '.' ? "-" + part : part;
}

Result<void> refuse_other_session(const std::filesystem::path& path, const Baseline& baseline) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    return {};
  }
  const Result<Baseline> present = read_baseline(path);
  if (present && present->session_id == baseline.session_id) {
    return {};
  }
  const std::string what = present ? "holds session " + present->session_id : "is no baseline";
  return Error{ErrorKind::kUsage, fmt::format("{}: exists and {}", path.string(), what),
               "give another NAME, or --force to replace it"};
}

}  // namespace

std::string baseline_file_name(const std::string& model, const std::string& backend, int64_t batch) {
  const std::string size = batch == 0 ? "" : fmt::format("_b{}", batch);
  return fmt::format("{}_{}{}.json", file_name_part(model), file_name_part(backend), size);
}

bool is_baseline(const Json& json) { return json.is_object() && json.value("kind", Json()) == kKind; }

Result<void> write_baseline(const std::filesystem::path& path, const Baseline& baseline, bool replace) {
  if (!replace) {
    AACO_TRY(refuse_other_session(path, baseline));
  }
  Json json{{"kind", kKind}};
  json.update(Json(baseline));
  if (path.has_parent_path()) {
    AACO_TRY(make_folders(path.parent_path()));
  }
  return write_json(path, json);
}

Result<Baseline> read_baseline(const std::filesystem::path& path) {
  AACO_ASSIGN(const Json json, read_json(path));
  const std::string name = path.string();
  if (!is_baseline(json)) {
    return Error{ErrorKind::kUsage, name + ": is no baseline file", "aaco baseline save writes one from a session"};
  }
  for (const char* member : {"schema_version", "session_id", "sample"}) {
    if (!json.contains(member)) {
      return Error{ErrorKind::kUsage, fmt::format("{}: no member \"{}\"", name, member),
                   "the file was edited or is damaged; save the baseline again"};
    }
  }
  AACO_ASSIGN(Baseline baseline, from_json_value<Baseline>(json, name));
  if (baseline.schema_version < 1 || baseline.schema_version > kBaselineSchemaVersion) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: schema version {}, this program reads up to {}", name, baseline.schema_version,
                             kBaselineSchemaVersion),
                 "use the version of aaco that wrote it, or a newer one"};
  }
  return baseline;
}

Result<std::vector<BaselineEntry>> list_baselines(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::directory_iterator entries(folder, failed);
  if (failed) {
    return Error{ErrorKind::kUsage, folder.string() + ": cannot be listed: " + failed.message(),
                 "aaco baseline save makes it; --baselines names another"};
  }
  std::vector<BaselineEntry> saved;
  for (; entries != std::filesystem::directory_iterator(); entries.increment(failed)) {
    if (entries->path().extension() != ".json") {
      continue;
    }
    Result<Baseline> baseline = read_baseline(entries->path());
    saved.push_back({entries->path(), baseline ? std::optional(*baseline) : std::nullopt,
                     baseline ? "" : baseline.error().message});
  }
  if (failed) {
    return Error{ErrorKind::kUsage, folder.string() + ": cannot be listed: " + failed.message(),
                 "check the folder's permissions"};
  }
  std::ranges::sort(saved, {}, &BaselineEntry::path);
  return saved;
}

}  // namespace aaco
