// SPDX-License-Identifier: MIT
// The files by which the ranks of a run find and watch each other lie in the run's folder; ranks of several nodes have
// a folder each. This looks what is new in one, to be sent to the others, and stores there what they sent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace aaco {

struct SharedFile {
  std::string name;
  std::string content;
};

// Whether all nodes want it, not only rank 0's.
bool is_shared(const SharedFile& file);

class SharedFiles {
 public:
  explicit SharedFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // What processes of this node have left or changed since the last call. The watches' files change all the time, and
  // are told twice a second.
  std::vector<SharedFile> changed();
  // One of another node's. Errors: kUsage for a name that no such file has; the disk's.
  Result<void> store(const SharedFile& file);

 private:
  std::filesystem::path folder_;
  std::mutex mutex_;
  std::map<std::string, std::string> known_;  // by name, as it was told
  std::set<std::string> foreign_;
  int64_t watched_ns_ = 0;
};

// What rank's process left that rank 0's node keeps: its journals, with the clock of its iterations, and what its
// watch said last.
std::vector<SharedFile> files_left_by(const std::filesystem::path& folder, int64_t rank);

}  // namespace aaco
