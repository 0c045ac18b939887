// SPDX-License-Identifier: MIT
// Whether a bundle is as it was closed: every file against the manifest, and every JSON and Parquet file opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"

namespace aaco {

struct FileCheck {
  std::string file;   // relative to the bundle
  std::string state;  // "ok"; "changed", "missing" or "damaged"; "extra": not in the manifest, such as a later report
  std::string detail;
  std::optional<int64_t> rows;  // of a Parquet file or a journal
};

struct SessionCheck {
  std::string session_id;
  std::string status;  // effective
  std::vector<FileCheck> files;
  std::vector<std::string> notes;  // why less could be checked than of a closed session
  bool passed = false;             // no file is changed, missing or damaged
};
void to_json(Json& json, const FileCheck& check);
void from_json(const Json& json, FileCheck& check);
void to_json(Json& json, const SessionCheck& check);
void from_json(const Json& json, SessionCheck& check);

// A session that was not closed has no manifest: its files are then only opened. A closed session without one does not
// pass, nor does a complete run without a row of iterations. A torn journal is damaged, unless the session is running.
// Errors: as read_session_info.
Result<SessionCheck> verify_session(const std::filesystem::path& path);

}  // namespace aaco
