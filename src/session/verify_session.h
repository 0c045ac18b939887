// SPDX-License-Identifier: MIT
// Whether a bundle is as it was closed: every file against the manifest, and every JSON and Parquet file opened.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "record/session_status.h"

namespace aaco {

// kExtra: not in the manifest, or derived from the other files (is_derived()), such as a report.
enum class FileState : uint8_t { kOk, kExtra, kChanged, kMissing, kDamaged };
const char* file_state_name(FileState state);  // "ok", ...

struct FileCheck {
  std::string file;  // relative to the bundle
  FileState state = FileState::kOk;
  std::string detail;
  std::optional<int64_t> rows;  // of a Parquet file or a journal
};

struct SessionCheck {
  std::string session_id;
  SessionStatus status = SessionStatus::kUnknown;  // effective
  std::vector<FileCheck> files;
  std::vector<std::string> notes;  // why less could be checked than of a closed session
  bool passed = false;             // no file is changed, missing or damaged
};
void to_json(Json& json, const SessionCheck& check);

// A session that was not closed has no manifest: its files are then only opened. A closed session without one does not
// pass, nor does a complete run without a row of iterations. A torn journal is damaged, unless the session is running,
// or was closed with it as failed or interrupted: what such a session lists is right as it was left. Errors: as
// read_session_info.
Result<SessionCheck> verify_session(const std::filesystem::path& path);

}  // namespace aaco
