// SPDX-License-Identifier: MIT
// The folder that observed processes make their rings in.
#pragma once

#include <filesystem>
#include <sys/types.h>
#include <utility>

#include "base/result.h"

namespace aaco {

// In memory (/dev/shm), where there is room for some rings, else below `otherwise`. It is removed when this goes away;
// those of observers that were killed, when the next is made.
class RingFolder {
 public:
  static constexpr size_t kRingBytes = size_t{16} << 20;

  // Errors: kResource.
  static Result<RingFolder> create(const std::filesystem::path& otherwise);
  RingFolder(RingFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), owner_(std::exchange(other.owner_, -1)) {}
  RingFolder& operator=(RingFolder&&) = delete;
  ~RingFolder();

  const std::filesystem::path& path() const { return path_; }
  // Where aaco is root and the program is not: the program makes its ring there. Errors: kResource.
  Result<void> give_to(uid_t user, gid_t group) const;

 private:
  RingFolder(std::filesystem::path path, int owner) : path_(std::move(path)), owner_(owner) {}
  static Result<RingFolder> own(std::filesystem::path path);

  std::filesystem::path path_;  // empty once moved from
  int owner_;                   // a locked file: processes see by it that aaco is there
};

}  // namespace aaco
