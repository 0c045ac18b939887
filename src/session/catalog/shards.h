// SPDX-License-Identifier: MIT
// Sessions that several processes wrote in one job, each with its share of the recordings.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/process/launcher.h"
#include "base/result.h"
#include "session/session.h"

namespace aaco {

struct SessionShard {
  JobShare share;
  int64_t filled = 0;  // shards that hold anything: the first so many
};

// None of a session that is no shard. Errors: kUsage where what says so is damaged.
Result<std::optional<SessionShard>> shard_of(const std::filesystem::path& session);

// `filled`: how many shards of the job hold anything, the first ones: there may be fewer recordings than processes.
Result<void> write_shard(SessionWriter& session, const JobShare& share, int64_t filled);

// All filled shards of the session's job, by index. The session alone where it is no shard.
// Errors: kUsage where one is missing or not complete, or there are two of one index.
Result<std::vector<std::filesystem::path>> shards_with(const std::filesystem::path& sessions_root,
                                                       const std::filesystem::path& session);

}  // namespace aaco
