// SPDX-License-Identifier: MIT
// manifest.json: size and SHA-256 of every file of a closed bundle, and the check of a bundle against it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"

namespace aaco {

struct ManifestFile {
  int64_t bytes = 0;
  std::string sha256;
};
void to_json(Json& json, const ManifestFile& file);
void from_json(const Json& json, ManifestFile& file);

// By path relative to the bundle. Of a closed bundle it has no derived file.
using Manifest = std::map<std::string, ManifestFile>;

// Regular files below `folder`, relative and sorted; links are not followed and not listed.
Result<std::vector<std::string>> files_of(const std::filesystem::path& folder);

// Whether a file, relative to the bundle, lies in report/: it is made from the others, and made anew at any time.
bool is_derived(const std::filesystem::path& file);

// All files of a bundle but those. None where it cannot be read.
std::vector<std::filesystem::path> recorded_files(const std::filesystem::path& bundle);

Result<ManifestFile> describe_file(const std::filesystem::path& path);

// Nothing where the bundle has no manifest. Errors: kUsage for a damaged one.
Result<std::optional<Manifest>> read_manifest(const std::filesystem::path& bundle);
Result<void> write_manifest(const std::filesystem::path& bundle, const Manifest& manifest);

}  // namespace aaco
