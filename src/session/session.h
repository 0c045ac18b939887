// SPDX-License-Identifier: MIT
// A session bundle: created before the run, filled while it goes on, closed at its end. Opening one never needs the run
// to have ended: what a killed run left is read back from its journals.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "trace/recording.h"

namespace aaco {

// session.json.
struct SessionInfo {
  int64_t schema_version = 0;
  std::string session_id;  // YYYYmmdd_HHMMSS_<6 hex>
  std::string kind;        // "run", "sweep", ...
  std::string created_utc; // ISO 8601
  std::string status;      // "running", "complete", "interrupted", "failed", "invalid"
  std::string status_reason;
  std::string aaco_version;
  std::vector<std::string> command_line;
  int64_t pid = 0;             // of the recording process, with its start time and boot: says whether "running" still is
  int64_t pid_start_ticks = 0;
  std::string boot_id;
  int64_t t0_monotonic_ns = 0;
  int64_t t0_wall_ns = 0;
  std::map<std::string, PlaneState> planes;
  RunFacts facts;
};

void to_json(Json& json, const SessionInfo& info);
void from_json(const Json& json, SessionInfo& info);

// "running" of a process that is no more reads as "incomplete".
std::string effective_status(const SessionInfo& info);

// The recording side.
class SessionWriter {
 public:
  // Makes sessions/<date>/<id>/ with session.json in status "running". Errors: kUsage for an unwritable folder, kResource.
  static Result<SessionWriter> create(const std::filesystem::path& sessions_root, SessionInfo info);

  const std::filesystem::path& path() const { return path_; }
  SessionInfo& info() { return info_; }

  // Folders are made as needed. Each write is atomic.
  Result<void> write_json_file(const char* relative, const Json& value);
  Result<void> write_table(const char* relative, const Table& table);
  Result<void> write_text(const std::filesystem::path& relative, std::string_view text);
  // Rewrites session.json with the present info.
  Result<void> save();
  // Sets status and reason, saves, removes the journals (only when "complete"), and points sessions/latest here.
  Result<void> close(const std::string& status, const std::string& reason);

 private:
  std::filesystem::path path_;
  SessionInfo info_;
};

// The reading side. `path` is a bundle folder or a link to one (sessions/latest). Errors: kUsage for a folder that is no
// session, a damaged file (named), or a newer schema than this program's.
struct OpenSession {
  std::filesystem::path path;
  SessionInfo info;
  std::string status;  // effective
  Recording recording;
  Json environment;
  std::vector<std::string> losses;  // rows lost to a torn journal, files missing: said wherever the session is shown
};
Result<OpenSession> open_session(const std::filesystem::path& path);
Result<SessionInfo> read_session_info(const std::filesystem::path& path);

}  // namespace aaco
