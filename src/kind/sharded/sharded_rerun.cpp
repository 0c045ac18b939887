// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <system_error>

#include "base/files/file.h"
#include "base/json/json.h"
#include "kind/sharded/sharded_run.h"

namespace aaco {

namespace fs = std::filesystem;

Result<ShardedRequest> sharded_request_again(const fs::path& bundle, const std::string& sessions) {
  const fs::path file = bundle / "request.json";
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return Error{ErrorKind::kUnavailable,
                 fmt::format("the training's session {} is not there any more", bundle.string()),
                 "restore it, or record the training again"};
  }
  AACO_ASSIGN(const Json json, read_json(file));
  AACO_ASSIGN(ShardedRequest request, from_json_value<ShardedRequest>(json, file.string()));
  if (request.first_rank != 0 || request.local_ranks < static_cast<int64_t>(request.devices.size())) {
    return Error{ErrorKind::kUnavailable, fmt::format("the ranks of {} were of several nodes", bundle.string()),
                 "launch both sides again on all nodes, and compare the new sessions"};
  }
  request.sessions = sessions;
  request.folder.clear();
  request.check = false;
  request.kernel_plane = false;
  request.config.profiling.enabled = false;
  return request;
}

Result<std::pair<fs::path, fs::path>> rerun_sharded(const fs::path& baseline, const fs::path& test,
                                                    const std::string& sessions, const ProgressCallback& progress) {
  AACO_ASSIGN(const ShardedRequest first, sharded_request_again(baseline, sessions));
  AACO_ASSIGN(const ShardedRequest second, sharded_request_again(test, sessions));
  AACO_ASSIGN(const ShardedDocument a, run_sharded(first, progress));
  AACO_ASSIGN(const ShardedDocument b, run_sharded(second, progress));
  return std::pair<fs::path, fs::path>(a.bundle, b.bundle);
}

}  // namespace aaco
