// SPDX-License-Identifier: MIT
#include "session/catalog/catalog.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "session/latest_link.h"
#include "session/layout.h"

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
  }
  return entry;
}

bool is_session(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path / layout::kSession, error);
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
  const std::filesystem::path link = sessions_root / layout::kLatest;
  return Error{ErrorKind::kUsage,
               target ? fmt::format("{} points to {}, which is no session", link.string(), target->string())
                      : fmt::format("{}: there is no such session", link.string()),
               "aaco run records one; --sessions DIR names another folder"};
}

}  // namespace

Result<std::vector<SessionEntry>> list_sessions(const std::filesystem::path& sessions_root) {
  Result<std::vector<std::filesystem::path>> dates = folders_in(sessions_root);
  if (!dates) {
    Error error = dates.error();
    error.hint = "aaco run makes the folder; --sessions DIR names another";
    return error;
  }
  std::vector<SessionEntry> entries;
  for (const std::filesystem::path& date : *dates) {
    AACO_ASSIGN(const std::vector<std::filesystem::path> bundles, folders_in(date));
    for (const std::filesystem::path& bundle : bundles) {
      if (is_session(bundle)) {
        entries.push_back(entry_of(bundle));
      }
    }
  }
  // The id starts with the time, and is there even where session.json is damaged.
  std::sort(entries.begin(), entries.end(), [](const SessionEntry& a, const SessionEntry& b) { return a.id < b.id; });
  return entries;
}

Result<std::filesystem::path> find_session(const std::filesystem::path& sessions_root, const std::string& text) {
  if (text == layout::kLatest) {
    return find_latest(sessions_root);
  }
  if (!text.empty() && is_session(text)) {
    return follow_once(text);
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
