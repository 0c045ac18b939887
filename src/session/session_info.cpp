// SPDX-License-Identifier: MIT
#include "session/session_info.h"

#include <cerrno>
#include <fmt/format.h>
#include <optional>
#include <signal.h>
#include <sstream>
#include <unistd.h>
#include <utility>

#include "base/files/file.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "session/bundle/layout.h"

namespace aaco {

void to_json(Json& json, const SessionKind& kind) { json = kind.word(); }
void from_json(const Json& json, SessionKind& kind) { kind = SessionKind(json.get<std::string>()); }

AACO_JSON_FIELDS(SessionInfo, schema_version, session_id, kind, created_utc, status, status_reason, aaco_version,
                 command_line, tags, pid, pid_start_ticks, boot_id, t0_monotonic_ns, t0_wall_ns, planes, facts)

namespace {

struct ProcessState {
  char state = '?';
  int64_t start_ticks = 0;
};

// State and start time (fields 3 and 22 of proc(5)), or nothing when /proc does not show the process.
std::optional<ProcessState> process_state(int64_t pid) {
  const Result<std::string> stat = read_file(fmt::format("/proc/{}/stat", pid), 1 << 16);
  // The name, field 2, may hold blanks and brackets; the last bracket ends it.
  const size_t name_end = stat ? stat->rfind(')') : std::string::npos;
  if (name_end == std::string::npos) {
    return std::nullopt;
  }
  std::istringstream fields(stat->substr(name_end + 1));
  ProcessState result;
  fields >> result.state;
  std::string skipped;
  for (int field = 4; field < 22; ++field) {
    fields >> skipped;
  }
  fields >> result.start_ticks;
  return fields ? std::optional(result) : std::nullopt;
}

bool is_alive(const SessionInfo& info) {
  if (info.pid <= 0 || info.pid > INT32_MAX || info.boot_id != boot_id()) {
    return false;
  }
  if (const std::optional<ProcessState> process = process_state(info.pid)) {
    return process->state != 'Z' && process->state != 'X' && process->start_ticks == info.pid_start_ticks;
  }
  // Another user's process, hidden by a mount option of /proc, still answers that it may not be signalled.
  return ::kill(static_cast<pid_t>(info.pid), 0) != 0 && errno == EPERM;
}

Error no_session(const std::filesystem::path& path, std::string_view why) {
  return {ErrorKind::kUsage, fmt::format("{}: {}", path.string(), why),
          "aaco sessions list shows the sessions there are"};
}

}  // namespace

bool needs_iterations(const SessionInfo& info) {
  return info.status == SessionStatus::kComplete && info.kind.traits().has_iterations;
}

std::string subject_of(const SessionInfo& info) {
  return info.facts.model_name.empty() ? info.kind.traits().subject : info.facts.model_name;
}

Result<JsonValue> read_session_document(const std::filesystem::path& session, const SessionKindTraits& kind) {
  AACO_ASSIGN(const SessionInfo info, read_session_info(session));
  if (!(info.kind == SessionKind(kind))) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: is a session of kind {}, not {}", session.string(), info.kind.word(), kind.id),
                 fmt::format("give a session of kind {}; aaco sessions list shows which there are", kind.id)};
  }
  AACO_ASSIGN(Json document, read_json(session / kind.document));
  return JsonValue(std::move(document));
}

Error unknown_kind(const std::filesystem::path& session, const SessionKind& kind) {
  return {ErrorKind::kUsage,
          fmt::format("{}: is a session of kind \"{}\", which this aaco does not know", session.string(), kind.word()),
          "upgrade aaco, or use the version that wrote the session"};
}

std::string boot_id() {
  const Result<std::string> text = read_file("/proc/sys/kernel/random/boot_id", 4096);
  return text ? text->substr(0, text->find('\n')) : "";
}

int64_t own_start_ticks() {
  const std::optional<ProcessState> process = process_state(::getpid());
  return process ? process->start_ticks : 0;
}

SessionStatus effective_status(const SessionInfo& info) {
  return info.status == SessionStatus::kRunning && !is_alive(info) ? SessionStatus::kIncomplete : info.status;
}

Result<SessionInfo> read_session_info(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path file = path / layout::kSession;
  (void)std::filesystem::status(file, error);
  if (error == std::errc::permission_denied) {
    return file_error(path, "open", EACCES);
  }
  if (!std::filesystem::is_directory(path, error)) {
    return no_session(path, "no session folder");
  }
  if (!std::filesystem::is_regular_file(file, error)) {
    return no_session(path, "not a session: it has no session.json");
  }
  AACO_ASSIGN(const Json json, read_json(file));
  if (!json.is_object() || !json.contains("schema_version") || !json["schema_version"].is_number_integer() ||
      json["schema_version"] < 1) {
    return no_session(file, "not a session of aaco: no schema_version");
  }
  if (json["schema_version"] > layout::kSchemaVersion) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: written by a newer aaco, schema {}; this one reads up to {}", file.string(),
                             json_text(json["schema_version"]), layout::kSchemaVersion),
                 "upgrade aaco, or use the version that wrote the session"};
  }
  AACO_ASSIGN(SessionInfo info, from_json_value<SessionInfo>(json, file.string()));
  if (info.status == SessionStatus::kUnknown && json.contains("status") && json["status"] != "") {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: {} is no status of a session", file.string(), json_text(json["status"])),
                 "the file was not written by this version of aaco, or was edited"};
  }
  return info;
}

}  // namespace aaco
