// SPDX-License-Identifier: MIT
#include "experiment/ranks/rank_id.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "base/interrupt.h"

namespace aaco {

namespace fs = std::filesystem;

fs::path rank_id_path(const fs::path& folder, int32_t communicator) {
  return folder / (communicator == 0 ? "rank_id.bin" : fmt::format("rank_id_{}.bin", communicator));
}

void remove_rank_ids(const fs::path& folder) {
  for (int32_t communicator = 0; communicator < kMostCommunicators; ++communicator) {
    std::error_code ignored;  // what cannot be removed, the ranks cannot write either
    fs::remove(rank_id_path(folder, communicator), ignored);
  }
}

Result<RankId> share_rank_id(const fs::path& folder, int64_t rank, const std::function<Result<RankId>()>& make,
                             int32_t communicator) {
  constexpr int64_t kPatienceNs = 60'000'000'000;
  constexpr auto kPause = std::chrono::milliseconds(10);
  const fs::path path = rank_id_path(folder, communicator);
  if (rank == 0) {
    AACO_ASSIGN(const RankId id, make());
    AACO_TRY(write_file_atomically(path, {id.bytes.data(), id.bytes.size()}));
    return id;
  }
  const int64_t deadline = monotonic_ns() + kPatienceNs;
  std::error_code error;
  while (!fs::exists(path, error)) {
    if (interrupted()) {
      return Error{ErrorKind::kInterrupted, "interrupted", ""};
    }
    if (monotonic_ns() > deadline) {
      return Error{ErrorKind::kResource, "rank 0 has handed over no id: there is no " + path.string(),
                   "what rank 0 said is the cause"};
    }
    std::this_thread::sleep_for(kPause);
  }
  AACO_ASSIGN(const std::string bytes, read_file(path));
  RankId id;
  if (bytes.size() != id.bytes.size()) {
    return Error{ErrorKind::kResource, path.string() + ": not the id of a communicator", "run it again"};
  }
  std::copy(bytes.begin(), bytes.end(), id.bytes.begin());
  return id;
}

}  // namespace aaco
