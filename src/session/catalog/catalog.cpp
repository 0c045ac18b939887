// SPDX-License-Identifier: MIT
#include "session/catalog/catalog.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <utility>

#include "base/files/file.h"
#include "base/json/json.h"
#include "session/bundle/latest_link.h"
#include "session/bundle/layout.h"

namespace aaco {

namespace {

constexpr const char* kListHint =
    "aaco sessions list shows the sessions there are; --sessions DIR names another folder";

// Folders in `folder` that are no links and not hidden.
Result<std::vector<std::filesystem::path>> folders_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> result;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (const std::filesystem::directory_iterator end; !error && entry != end; entry.increment(error)) {
    std::error_code status_error;
    if (entry->symlink_status(status_error).type() == std::filesystem::file_type::directory &&
        !entry->path().filename().string().starts_with('.')) {
      result.push_back(entry->path());
    }
  }
  if (error) {
    return file_error(folder, "list", error.value());
  }
  return result;
}

// A session.json of this program's schema, with the id that its folder has, of which something else cannot be read: who
// recorded it when, as far as it tells.
std::optional<SessionInfo> recorder_of(const std::filesystem::path& path) {
  const Result<Json> json = read_json(path / layout::kSession);
  const auto whole = [&](const char* key) {
    const auto member = json->find(key);
    return member != json->end() && member->is_number_integer() ? member->get<int64_t>() : 0;
  };
  if (!json || !json->is_object() || json->value("session_id", Json()) != path.filename().string() ||
      whole("schema_version") < 1 || whole("schema_version") > layout::kSchemaVersion) {
    return std::nullopt;
  }
  SessionInfo info;
  info.t0_wall_ns = whole("t0_wall_ns");
  info.pid = whole("pid");
  info.pid_start_ticks = whole("pid_start_ticks");
  const Json boot = json->value("boot_id", Json());
  info.boot_id = boot.is_string() ? boot.get<std::string>() : "";
  info.status = json->value("status", Json()) == session_status_name(SessionStatus::kRunning) ? SessionStatus::kRunning
                                                                                              : SessionStatus::kFailed;
  return info;
}

SessionEntry entry_of(const std::filesystem::path& path) {
  SessionEntry entry{path, path.filename().string(), SessionStatus::kDamaged, {}, ""};
  if (Result<SessionInfo> info = read_session_info(path)) {
    if (info->t0_wall_ns > 0) {
      entry.info = *std::move(info);
      entry.status = effective_status(entry.info);
    } else {
      entry.problem = fmt::format("{}: does not say when it was created", (path / layout::kSession).string());
    }
  } else {
    entry.problem = info.error().message;
    if (std::optional<SessionInfo> recorder = recorder_of(path)) {
      entry.info = *std::move(recorder);
      entry.is_own = true;
    }
  }
  return entry;
}

bool is_session(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path / layout::kSession, error);
}

// Whether only permission lacks to tell: another user's session is not "no session".
bool is_forbidden(const std::filesystem::path& path) {
  std::error_code error;
  (void)std::filesystem::status(path / layout::kSession, error);
  return error == std::errc::permission_denied;
}

SessionEntry forbidden_entry(const std::filesystem::path& path) {
  return {path, path.filename().string(), SessionStatus::kDamaged, {}, file_error(path, "open", EACCES).message};
}

// path, or where it points to if it is a link.
std::filesystem::path follow_once(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::read_symlink(path, error);
  return error ? path : (path.parent_path() / target).lexically_normal();
}

Result<std::filesystem::path> find_latest(const std::filesystem::path& sessions_root) {
  const std::optional<std::filesystem::path> target = latest_target(sessions_root);
  if (target && is_session(*target)) {
    return *target;
  }
  if (target && is_forbidden(*target)) {
    return file_error(*target, "open", EACCES);
  }
  const std::filesystem::path link = sessions_root / layout::kLatest;
  return Error{ErrorKind::kUsage,
               target ? fmt::format("{} points to {}, which is no session", link.string(), target->string())
                      : fmt::format("{}: there is no such session", link.string()),
               "aaco run records one; --sessions DIR names another folder"};
}

// Of a file that may be written anew: no two contents have the same. Empty where it is not there.
std::string state_of(const std::filesystem::path& file) {
  struct stat status{};
  return ::stat(file.c_str(), &status) == 0
             ? fmt::format("{}:{}:{}.{}", status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
             : "";
}

// `make` gives the entry of a bundle.
template <class Make>
Result<std::vector<SessionEntry>> entries_below(const std::filesystem::path& sessions_root, const Make& make) {
  Result<std::vector<std::filesystem::path>> dates = folders_in(sessions_root);
  if (!dates) {
    Error error = dates.error();
    error.hint = "aaco run makes the folder; --sessions DIR names another";
    return error;
  }
  std::vector<SessionEntry> entries;
  for (const std::filesystem::path& date : *dates) {
    const Result<std::vector<std::filesystem::path>> bundles = folders_in(date);
    if (!bundles) {  // those of other dates are listed all the same
      entries.push_back({date, date.filename().string(), SessionStatus::kDamaged, {}, bundles.error().message});
      continue;
    }
    for (const std::filesystem::path& bundle : *bundles) {
      if (is_session(bundle)) {
        entries.push_back(make(bundle));
      } else if (is_forbidden(bundle)) {
        entries.push_back(forbidden_entry(bundle));
      }
    }
  }
  // The id starts with the time, and is there even where session.json is damaged.
  std::sort(entries.begin(), entries.end(), [](const SessionEntry& a, const SessionEntry& b) { return a.id < b.id; });
  return entries;
}

}  // namespace

Result<std::vector<SessionEntry>> list_sessions(const std::filesystem::path& sessions_root) {
  return entries_below(sessions_root, entry_of);
}

Result<void> SessionCatalog::refresh() {
  std::map<std::filesystem::path, SessionEntry*> known;
  std::vector<SessionEntry> before = std::exchange(entries_, {});
  for (SessionEntry& entry : before) {
    known[entry.path] = &entry;
  }
  const std::map<std::filesystem::path, std::string> states = std::exchange(states_, {});
  AACO_ASSIGN(entries_, entries_below(root_, [&](const std::filesystem::path& bundle) {
                const std::string& state = states_[bundle] = state_of(bundle / layout::kSession);
                const auto same = states.find(bundle);
                const auto entry = known.find(bundle);
                if (same == states.end() || same->second != state || entry == known.end()) {
                  return entry_of(bundle);
                }
                SessionEntry kept = std::move(*entry->second);
                if (kept.problem.empty()) {
                  kept.status = effective_status(kept.info);  // its process may have ended
                }
                return kept;
              }));
  return {};
}

Result<std::filesystem::path> find_session(const std::filesystem::path& sessions_root, const std::string& text) {
  if (text == layout::kLatest) {
    return find_latest(sessions_root);
  }
  if (!text.empty() && is_session(text)) {
    return follow_once(text);
  }
  if (!text.empty() && is_forbidden(text)) {
    return file_error(text, "open", EACCES);
  }
  if (text.empty() || text.find('/') != std::string::npos) {
    return Error{ErrorKind::kUsage, fmt::format("\"{}\" is no session", text), kListHint};
  }
  const Result<std::vector<SessionEntry>> entries = list_sessions(sessions_root);
  if (!entries) {
    Error error = entries.error();
    error.message = fmt::format("no session \"{}\": {}", text, error.message);
    return error;
  }
  std::vector<const SessionEntry*> matches;
  for (const SessionEntry& entry : *entries) {
    if (entry.id.starts_with(text)) {
      matches.push_back(&entry);
    }
  }
  if (matches.size() == 1) {
    return matches.front()->path;
  }
  if (matches.empty()) {
    return Error{ErrorKind::kUsage, fmt::format("no session \"{}\" in {}", text, sessions_root.string()), kListHint};
  }
  std::vector<std::string> ids;
  for (const SessionEntry* match : matches) {
    ids.push_back(match->id);
  }
  const size_t shown = std::min<size_t>(ids.size(), 5);
  return Error{ErrorKind::kUsage,
               fmt::format("\"{}\" is the beginning of {} sessions: {}{}", text, ids.size(),
                           fmt::join(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                           shown < ids.size() ? ", ..." : ""),
               "give more of the id"};
}

}  // namespace aaco
