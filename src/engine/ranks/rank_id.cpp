// SPDX-License-Identifier: MIT
#include "engine/ranks/rank_id.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/interrupt.h"

namespace aaco {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "rank_id_";

}  // namespace

fs::path rank_id_path(const fs::path& folder, CommunicatorPlace communicator) {
  return folder / fmt::format("{}{}_{}.bin", kPrefix, communicator.number, communicator.first_rank);
}

void remove_rank_ids(const fs::path& folder) {
  std::error_code ignored;  // what cannot be removed, the ranks cannot write either
  std::vector<fs::path> id_files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().starts_with(kPrefix)) {
      id_files.push_back(entry.path());
    }
  }
  for (const fs::path& path : id_files) {
    fs::remove(path, ignored);
  }
}

Result<RankId> share_rank_id(const fs::path& folder, int64_t rank, const std::function<Result<RankId>()>& make,
                             CommunicatorPlace communicator) {
  constexpr int64_t kPatienceNs = 60'000'000'000;
  constexpr auto kPause = std::chrono::milliseconds(10);
  const fs::path path = rank_id_path(folder, communicator);
  if (rank == communicator.first_rank) {
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
      return Error{ErrorKind::kResource,
                   fmt::format("rank {} has handed over no id: there is no {}", communicator.first_rank, path.string()),
                   fmt::format("what rank {} said is the cause", communicator.first_rank)};
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
