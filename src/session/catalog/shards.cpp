// SPDX-License-Identifier: MIT
#include "session/catalog/shards.h"

#include <fmt/format.h>
#include <map>
#include <utility>

#include "base/files/file.h"
#include "base/json/json.h"
#include "session/bundle/layout.h"
#include "session/catalog/catalog.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

Result<SessionShard> read_shard(const fs::path& session) {
  const fs::path path = session / layout::kTraceShard;
  AACO_ASSIGN(const Json json, read_json(path));
  try {
    return SessionShard{{json.at("index"), json.at("count"), json.at("job")}, json.at("filled")};
  } catch (const Json::exception& exception) {
    return Error{ErrorKind::kUsage, fmt::format("{}: {}", path.string(), json_problem(exception)),
                 "the file is damaged"};
  }
}

bool is_shard(const fs::path& session) {
  std::error_code error;
  return fs::is_regular_file(session / layout::kTraceShard, error);
}

}  // namespace

Result<std::optional<SessionShard>> shard_of(const fs::path& session) {
  if (!is_shard(session)) {
    return std::optional<SessionShard>();
  }
  AACO_ASSIGN(SessionShard shard, read_shard(session));
  return std::optional(std::move(shard));
}

Result<void> write_shard(SessionWriter& session, const JobShare& share, int64_t filled) {
  return session.write_json_file(
      layout::kTraceShard, {{"job", share.job}, {"index", share.index}, {"count", share.count}, {"filled", filled}});
}

Result<std::vector<fs::path>> shards_with(const fs::path& sessions_root, const fs::path& session) {
  if (!is_shard(session)) {
    return std::vector<fs::path>{session};
  }
  AACO_ASSIGN(const SessionShard own, read_shard(session));
  AACO_ASSIGN(const std::vector<SessionEntry> entries, list_sessions(sessions_root));
  std::map<int64_t, fs::path> by_index;
  for (const SessionEntry& entry : entries) {
    if (!is_shard(entry.path) || entry.status != SessionStatus::kComplete) {
      continue;
    }
    const auto shard = read_shard(entry.path);
    if (!shard || shard->share.job != own.share.job || shard->share.count != own.share.count) {
      continue;
    }
    const auto [other, added] = by_index.try_emplace(shard->share.index, entry.path);
    if (!added) {
      return Error{ErrorKind::kUsage,
                   fmt::format("{} and {} are both shard {} of job {}", other->second.string(), entry.path.string(),
                               shard->share.index, own.share.job),
                   "keep each job's sessions in a folder of its own (--sessions)"};
    }
  }
  std::vector<fs::path> paths;
  for (int64_t index = 0; index < own.filled; ++index) {
    const auto there = by_index.find(index);
    if (there == by_index.end()) {
      return Error{ErrorKind::kUsage,
                   fmt::format("{}: shard {} of {} of its job is not among the complete sessions of {}",
                               session.string(), index, own.filled, sessions_root.string()),
                   "wait for the job's other processes, or import again"};
    }
    paths.push_back(there->second);
  }
  return paths;
}

}  // namespace aaco
