// SPDX-License-Identifier: MIT
#include "session/bundle/manifest.h"

#include <algorithm>
#include <system_error>

#include "base/files/file.h"
#include "base/json/json.h"
#include "session/bundle/layout.h"

namespace aaco {

AACO_JSON_FIELDS(ManifestFile, bytes, sha256)

Result<std::vector<std::string>> files_of(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  std::vector<std::filesystem::path> folders{folder};
  while (!folders.empty()) {
    const std::filesystem::path listed = std::move(folders.back());
    folders.pop_back();
    std::error_code error;
    std::filesystem::directory_iterator entry(listed, error);
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      std::error_code gone;  // a running session renames files and removes folders
      const std::filesystem::file_type type = entry->symlink_status(gone).type();
      if (type == std::filesystem::file_type::directory) {
        folders.push_back(entry->path());
      } else if (type == std::filesystem::file_type::regular) {
        files.push_back(entry->path().lexically_relative(folder).string());
      }
    }
    if (error && (listed == folder || error != std::errc::no_such_file_or_directory)) {
      return file_error(listed, "list", error.value());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool is_derived(const std::filesystem::path& file) {
  return !file.empty() && *file.begin() == std::filesystem::path(layout::kReport).parent_path();
}

std::vector<std::filesystem::path> recorded_files(const std::filesystem::path& bundle) {
  std::vector<std::filesystem::path> recorded;
  if (const Result<std::vector<std::string>> files = files_of(bundle)) {
    for (const std::string& file : *files) {
      if (!is_derived(file)) {
        recorded.push_back(bundle / file);
      }
    }
  }
  return recorded;
}

Result<ManifestFile> describe_file(const std::filesystem::path& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (error) {
    return file_error(path, "read", error.value());
  }
  AACO_ASSIGN(std::string sha256, sha256_of_file(path));
  return ManifestFile{static_cast<int64_t>(bytes), std::move(sha256)};
}

Result<std::optional<Manifest>> read_manifest(const std::filesystem::path& bundle) {
  const std::filesystem::path path = bundle / layout::kManifest;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return std::optional<Manifest>();
  }
  AACO_ASSIGN(const Json json, read_json(path));
  if (!json.is_object() || !json.contains("files")) {
    return Error{ErrorKind::kUsage, path.string() + ": no list of files", "the file is damaged"};
  }
  AACO_ASSIGN(Manifest manifest, from_json_value<Manifest>(json["files"], path.string()));
  return std::optional(std::move(manifest));
}

Result<void> write_manifest(const std::filesystem::path& bundle, const Manifest& manifest) {
  Json files = Json::object();
  for (const auto& [name, file] : manifest) {
    files[name] = file;
  }
  return write_json(bundle / layout::kManifest, {{"schema_version", layout::kSchemaVersion}, {"files", files}});
}

}  // namespace aaco
