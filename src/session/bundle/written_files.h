// SPDX-License-Identifier: MIT
// What a session wrote into its bundle, by which its close tells whether all of that is still there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "base/result.h"

namespace aaco {

class WrittenFiles {
 public:
  // `relative` to the bundle; a folder stands for all regular files below it. What is noted again counts as it is then.
  // Errors: kResource where it is not there any more.
  Result<void> note(const std::filesystem::path& bundle, const std::filesystem::path& relative);

  // Errors: kResource naming the first file that is not there, or has another size. Content is not read again, which
  // would take as long as writing it; inodes and times are not compared, since network file systems change both.
  Result<void> expect_there(const std::filesystem::path& bundle) const;

 private:
  static Result<int64_t> size_of(const std::filesystem::path& bundle, const std::string& relative);

  std::map<std::string, int64_t> bytes_;  // by file
};

// kResource: what a session recorded is gone, or something else stands in its place.
Error lost_recording(const std::filesystem::path& path, const std::string& what);

}  // namespace aaco
