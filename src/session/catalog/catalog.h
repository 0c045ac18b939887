// SPDX-License-Identifier: MIT
// All sessions of a folder: listed, found by what a user types, and pruned.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "session/session.h"

namespace aaco {

struct SessionEntry {
  std::filesystem::path path;
  std::string id;  // the folder's name
  // Effective, or kDamaged where session.json cannot be read or has no time of creation: `info` is then empty,
  // `problem` says why. Where it is damaged and all the same surely a session of this program's schema, `is_own` says
  // so and `info` has who recorded it when.
  SessionStatus status = SessionStatus::kDamaged;
  SessionInfo info;
  std::string problem;
  bool is_own = false;
};

// Oldest first, `latest` and other links left out. A folder without sessions gives none. Errors: kUsage where
// `sessions_root` is no folder or cannot be read.
Result<std::vector<SessionEntry>> list_sessions(const std::filesystem::path& sessions_root);

// A folder that is listed again and again: a session.json that has not changed since is not read again.
class SessionCatalog {
 public:
  explicit SessionCatalog(std::filesystem::path sessions_root) : root_(std::move(sessions_root)) {}

  const std::filesystem::path& root() const { return root_; }
  // Errors: as list_sessions(); there are no entries then.
  Result<void> refresh();
  // As list_sessions() gave them at the last refresh().
  const std::vector<SessionEntry>& entries() const { return entries_; }

 private:
  std::filesystem::path root_;
  std::vector<SessionEntry> entries_;
  std::map<std::filesystem::path, std::string> states_;  // of session.json, by bundle
};

// What a session argument means: "latest", the path of a bundle or of a link to one, an id, or the unique beginning of
// an id. Links are resolved one step, so that the path stays what it is while `latest` moves on. Errors: kUsage, with
// the candidates where it is not unique.
Result<std::filesystem::path> find_session(const std::filesystem::path& sessions_root, const std::string& text);

// A session goes when every given rule lets it go; at least one rule must be given.
struct PruneRules {
  std::optional<int64_t> keep;            // not among the newest so many
  std::optional<double> older_than_days;  // created longer ago than that
  bool dry_run = false;                   // only say what would go
};

struct PruneResult {
  std::vector<std::filesystem::path> removed;  // or to be removed, in a dry run
  std::vector<std::string> kept;  // of those that the rules let go: which, and why it stays (running, damaged, ...)
  bool failed = false;            // something could not be removed: `kept` says what
  int64_t freed_bytes = 0;
};

// Removes bundles and then points `latest` to the newest closed session that is left. Never removes a running session
// (nor one of another machine or boot that was written to within a day, which cannot be told from one) or a damaged one
// that is not surely its own, and follows no links. Errors: kUsage for rules that make no sense.
Result<PruneResult> prune_sessions(const std::filesystem::path& sessions_root, const PruneRules& rules);

}  // namespace aaco
