// SPDX-License-Identifier: MIT
// A session bundle: created before the run, filled while it goes on, closed at its end. Opening one never needs the run
// to have ended: what a killed run left is read back from its journals.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_value.h"
#include "record/recording.h"
#include "record/session_status.h"
#include "session/bundle/bundle_lock.h"
#include "session/bundle/written_files.h"
#include "session/parquet/parquet.h"
#include "session/session_kind.h"

namespace aaco {

// session.json.
struct SessionInfo {
  int64_t schema_version = 0;
  std::string session_id;  // YYYYmmdd_HHMMSS_<6 hex>
  SessionKind kind;
  std::string created_utc;  // ISO 8601
  SessionStatus status = SessionStatus::kUnknown;
  std::string status_reason;
  std::string aaco_version;
  std::vector<std::string> command_line;
  std::vector<std::string> tags;  // session_tags.h; an older session has none
  int64_t pid = 0;  // of the recording process, with its start time and boot: says whether a running session still is
  int64_t pid_start_ticks = 0;
  std::string boot_id;
  int64_t t0_monotonic_ns = 0;
  int64_t t0_wall_ns = 0;
  std::map<std::string, PlaneState> planes;
  RunFacts facts;
};

void to_json(Json& json, const SessionInfo& info);
void from_json(const Json& json, SessionInfo& info);

// kRunning of a process that is no more reads as kIncomplete: no such pid, a zombie, another start time, another
// boot.
SessionStatus effective_status(const SessionInfo& info);

// The recording side.
class SessionWriter {
 public:
  // Makes sessions/<date>/<id>/ with session.json as running. Of `info`, kind, command line, planes and facts
  // are the caller's, and the two t0 where they are not 0; the rest is set here, tags as TagsOfNewSessions has them.
  // Errors: kUsage for an unwritable folder and for tags, kResource; nothing is left behind then.
  static Result<SessionWriter> create(const std::filesystem::path& sessions_root, SessionInfo info);

  // A closed session, opened again to say more of what it holds; it reads as running until it is closed again. Errors:
  // as read_session_info, and of writing.
  static Result<SessionWriter> reopen(const std::filesystem::path& bundle);

  const std::filesystem::path& path() const { return path_; }
  SessionInfo& info() { return info_; }

  // Folders are made as needed. Each write is atomic.
  Result<void> write_json_file(const char* relative, const Json& value);
  template <class Row>
  Result<void> write_rows(const char* relative, std::span<const Row> rows) {
    AACO_ASSIGN(const std::filesystem::path target, prepare(relative));
    AACO_TRY(write_parquet_rows<Row>(target, rows));
    return note_file(relative);
  }
  // As write_parquet_made.
  template <class Row, class Make>
  Result<void> write_made(const char* relative, size_t count, const Make& make) {
    AACO_ASSIGN(const std::filesystem::path target, prepare(relative));
    AACO_TRY(write_parquet_made<Row>(target, count, make));
    return note_file(relative);
  }
  Result<void> write_text(const std::filesystem::path& relative, std::string_view text);
  // Of a file, or a folder of files, that others wrote into the bundle: it belongs to what was recorded, and must be
  // there when the session is closed. Errors: kResource where it is not there now.
  Result<void> note_file(const std::filesystem::path& relative) { return written_.note(path_, relative); }
  // Errors: kResource where the bundle's folder, or a file that was written into it, is gone.
  Result<void> expect_recorded() const;
  // Rewrites session.json with the present info.
  Result<void> save();
  // Writes manifest.json, saves status and reason, removes the journals (only when complete), and points
  // sessions/latest here. Killed in the middle, the session reads as incomplete with its journals, or as closed. A
  // status other than kComplete is saved even where the manifest cannot be; the first error is returned. kComplete only
  // where all that was written is there, and session.json can be read again; else the session is closed as failed.
  // Errors: kResource for files that are gone.
  Result<void> close(SessionStatus status, const std::string& reason);

 private:
  SessionWriter(std::filesystem::path path, SessionInfo info)
      : path_(std::move(path)), info_(std::move(info)), lock_(BundleLock::to_record(path_)) {}
  Result<void> expect_folder() const;
  // The full path of a file of the bundle, its folder made. kResource where the bundle's folder is gone: it is not made
  // again, since what was in it is lost.
  Result<std::filesystem::path> prepare(const std::filesystem::path& relative) const;
  Result<void> close_as(SessionStatus status, const std::string& reason);

  std::filesystem::path path_;
  SessionInfo info_;
  BundleLock lock_;  // until it is closed
  WrittenFiles written_;
};

// The reading side. `path` is a bundle folder or a link to one (sessions/latest). Where a Parquet file is not there,
// its rows are read back from the journals. Errors: kUsage for a folder that is no session, a damaged file (named), one
// that differs from its checksum in the manifest of a closed session, or a newer schema than this program's.
struct OpenSession {
  std::filesystem::path path;
  SessionInfo info;
  SessionStatus status = SessionStatus::kUnknown;  // effective
  Recording recording;
  JsonValue environment;
  std::vector<std::string> losses;  // rows lost to a torn journal, files missing: said wherever the session is shown
};
Result<OpenSession> open_session(const std::filesystem::path& path);
Result<SessionInfo> read_session_info(const std::filesystem::path& path);

}  // namespace aaco
