// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "session/catalog.h"
#include "session/latest_link.h"
#include "session/layout.h"
#include "session/manifest.h"

namespace aaco {

namespace {

constexpr double kNsPerDay = 86'400e9;

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

// Hidden first, so that a removal that is cut short leaves no half of a session in the list. remove_all removes links
// and not what they point to.
Result<void> remove_bundle(const std::filesystem::path& bundle) {
  const std::filesystem::path hidden = bundle.parent_path() / fmt::format(".removed_{}", bundle.filename().string());
  std::error_code error;
  std::filesystem::rename(bundle, hidden, error);
  if (!error) {
    std::filesystem::remove_all(hidden, error);
  }
  if (error) {
    return file_error(bundle, "remove", error.value());
  }
  ::rmdir(bundle.parent_path().c_str());  // the date's folder, if that was its last
  return {};
}

// What an earlier removal that was cut short left.
void remove_leftovers(const std::filesystem::path& sessions_root) {
  std::error_code error;
  for (std::filesystem::directory_iterator date(sessions_root, error), end; !error && date != end;
       date.increment(error)) {
    std::error_code inner;
    if (date->symlink_status(inner).type() != std::filesystem::file_type::directory) {
      continue;
    }
    for (std::filesystem::directory_iterator entry(*date, inner); !inner && entry != end; entry.increment(inner)) {
      if (entry->path().filename().string().starts_with(".removed_")) {
        std::error_code ignored;
        std::filesystem::remove_all(entry->path(), ignored);
      }
    }
  }
}

Result<void> mend_latest(const std::filesystem::path& sessions_root) {
  const std::optional<std::filesystem::path> target = latest_target(sessions_root);
  std::error_code error;
  if (!target || std::filesystem::exists(*target, error)) {
    return {};
  }
  AACO_ASSIGN(const std::vector<SessionEntry> left, list_sessions(sessions_root));
  const auto newest = std::find_if(left.rbegin(), left.rend(), [](const SessionEntry& entry) {
    return entry.status != "running" && entry.status != "incomplete" && entry.status != "damaged";
  });
  if (newest != left.rend()) {
    return point_latest_to(sessions_root, newest->path);
  }
  ::unlink((sessions_root / layout::kLatest).c_str());
  return {};
}

bool may_go(const SessionEntry& entry, size_t newer, const PruneRules& rules, int64_t now_ns) {
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
  if (!rules.dry_run) {
    remove_leftovers(sessions_root);
  }
  PruneResult result;
  const int64_t now_ns = wall_clock_ns();
  for (size_t i = 0; i < entries.size(); ++i) {
    const SessionEntry& entry = entries[i];
    if (!may_go(entry, entries.size() - 1 - i, rules, now_ns)) {
      continue;
    }
    if (entry.status == "running" || entry.status == "damaged") {
      result.kept.push_back(fmt::format("{}: {}", entry.id, entry.status == "running" ? "running" : entry.problem));
      continue;
    }
    const int64_t bytes = bytes_of(entry.path);
    if (!rules.dry_run) {
      AACO_TRY(remove_bundle(entry.path));
    }
    result.removed.push_back(entry.path);
    result.freed_bytes += bytes;
  }
  if (!rules.dry_run) {
    AACO_TRY(mend_latest(sessions_root));
  }
  return result;
}

}  // namespace aaco
