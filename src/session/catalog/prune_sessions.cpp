// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files/file.h"
#include "session/bundle/bundle_lock.h"
#include "session/bundle/latest_link.h"
#include "session/bundle/layout.h"
#include "session/bundle/manifest.h"
#include "session/catalog/catalog.h"
#include "session/session_info.h"

namespace aaco {

namespace {

constexpr double kNsPerDay = 86'400e9;
constexpr const char* kHidden = ".removed_";

int64_t bytes_of(const std::filesystem::path& bundle) {
  int64_t bytes = 0;
  if (const Result<std::vector<std::string>> files = files_of(bundle)) {
    for (const std::string& file : *files) {
      std::error_code error;
      const auto size = std::filesystem::file_size(bundle / file, error);
      bytes += error ? 0 : static_cast<int64_t>(size);
    }
  }
  return bytes;
}

// Whether a file of the bundle was written to within the last day. Of a bundle that cannot be listed, nothing is known.
bool is_fresh(const std::filesystem::path& bundle) {
  const auto day_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(24);
  const Result<std::vector<std::string>> files = files_of(bundle);
  return !files || std::any_of(files->begin(), files->end(), [&](const std::string& file) {
    std::error_code error;
    const auto written = std::filesystem::last_write_time(bundle / file, error);
    return !error && written > day_ago;
  });
}

// Empty where it may go.
std::string why_it_stays(const SessionEntry& entry) {
  if (entry.status == SessionStatus::kDamaged && !entry.is_own) {
    return entry.problem;
  }
  const SessionStatus status = entry.is_own ? effective_status(entry.info) : entry.status;
  if (status == SessionStatus::kRunning) {
    return session_status_name(status);
  }
  // Its process id says nothing here, and locks do not cross every shared file system.
  if (status == SessionStatus::kIncomplete && entry.info.boot_id != boot_id() && is_fresh(entry.path)) {
    return "recorded on another machine or before a restart, and written to within the last day";
  }
  return "";
}

Result<void> remove_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::remove_all(folder, error);  // removes links and not what they point to
  return error ? Result<void>(file_error(folder, "remove", error.value())) : Result<void>();
}

// Hidden first, so that a removal that is cut short leaves no half of a session in the list.
Result<void> remove_bundle(const std::filesystem::path& bundle) {
  const std::filesystem::path hidden = bundle.parent_path() / fmt::format("{}{}", kHidden, bundle.filename().string());
  std::error_code error;
  std::filesystem::rename(bundle, hidden, error);
  if (error) {
    return file_error(bundle, "remove", error.value());
  }
  AACO_TRY(remove_folder(hidden));
  ::rmdir(bundle.parent_path().c_str());  // the date's folder, if that was its last
  return {};
}

void keep(PruneResult& result, const std::filesystem::path& bundle, const std::string& why) {
  result.kept.push_back(fmt::format("{}: {}", bundle.filename().string(), why));
}

void keep_failed(PruneResult& result, const std::filesystem::path& bundle, const Result<void>& removed) {
  if (!removed) {
    keep(result, bundle, removed.error().message);
    result.failed = true;
  }
}

// What an earlier removal that was cut short left.
void remove_leftovers(const std::filesystem::path& sessions_root, PruneResult& result) {
  std::error_code error;
  for (std::filesystem::directory_iterator date(sessions_root, error), end; !error && date != end;
       date.increment(error)) {
    std::error_code inner;
    if (date->symlink_status(inner).type() != std::filesystem::file_type::directory) {
      continue;
    }
    for (std::filesystem::directory_iterator entry(*date, inner); !inner && entry != end; entry.increment(inner)) {
      if (entry->path().filename().string().starts_with(kHidden)) {
        keep_failed(result, entry->path(), remove_folder(entry->path()));
      }
    }
  }
}

// Removes the session, or says why it stays.
void prune_one(const SessionEntry& entry, bool dry_run, PruneResult& result) {
  const std::optional<BundleLock> lock = BundleLock::to_remove(entry.path);
  const std::string why = lock ? why_it_stays(entry) : "being recorded";
  if (!why.empty()) {
    keep(result, entry.path, why);
    return;
  }
  const int64_t bytes = bytes_of(entry.path);
  const Result<void> removed = dry_run ? Result<void>() : remove_bundle(entry.path);
  keep_failed(result, entry.path, removed);
  if (removed) {
    result.removed.push_back(entry.path);
    result.freed_bytes += bytes;
  }
}

Result<void> mend_latest(const std::filesystem::path& sessions_root) {
  const std::optional<std::filesystem::path> target = latest_target(sessions_root);
  std::error_code error;
  if (!target || std::filesystem::exists(*target, error)) {
    return {};
  }
  AACO_ASSIGN(const std::vector<SessionEntry> left, list_sessions(sessions_root));
  const auto newest =
      std::find_if(left.rbegin(), left.rend(), [](const SessionEntry& entry) { return is_closed(entry.status); });
  if (newest != left.rend()) {
    return point_latest_to(sessions_root, newest->path);
  }
  ::unlink((sessions_root / layout::kLatest).c_str());
  return {};
}

bool may_go(const SessionEntry& entry, size_t newer, const PruneRules& rules, int64_t now_ns) {
  if (entry.status == SessionStatus::kDamaged && entry.info.t0_wall_ns <= 0 && rules.older_than_days && entry.is_own) {
    return false;  // nobody knows how old it is
  }
  const double age_ns = static_cast<double>(now_ns) - static_cast<double>(entry.info.t0_wall_ns);
  return (!rules.keep || newer >= static_cast<size_t>(*rules.keep)) &&
         (!rules.older_than_days || age_ns > *rules.older_than_days * kNsPerDay);
}

}  // namespace

Result<PruneResult> prune_sessions(const std::filesystem::path& sessions_root, const PruneRules& rules) {
  const bool sensible = rules.keep.value_or(0) >= 0 && rules.older_than_days.value_or(0) >= 0;
  if (!sensible || (!rules.keep && !rules.older_than_days)) {
    return Error{ErrorKind::kUsage, "nothing says which sessions may go", "give --keep N, --older-than DAYS, or both"};
  }
  AACO_ASSIGN(const std::vector<SessionEntry> entries, list_sessions(sessions_root));
  PruneResult result;
  if (!rules.dry_run) {
    remove_leftovers(sessions_root, result);
  }
  const int64_t now_ns = wall_clock_ns();
  for (size_t i = 0; i < entries.size(); ++i) {
    if (may_go(entries[i], entries.size() - 1 - i, rules, now_ns)) {
      prune_one(entries[i], rules.dry_run, result);
    }
  }
  if (!rules.dry_run) {
    AACO_TRY(mend_latest(sessions_root));
  }
  return result;
}

}  // namespace aaco
