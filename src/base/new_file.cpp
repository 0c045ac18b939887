// SPDX-License-Identifier: MIT
#include "base/new_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

namespace aaco {

namespace {

// Unguessable where the kernel has random numbers at hand; O_EXCL keeps the promise where it has not.
uint64_t random_number() {
  uint64_t number = 0;
  return ::getrandom(&number, sizeof number, GRND_NONBLOCK) == sizeof number
             ? number
             : static_cast<uint64_t>(monotonic_ns()) * 2654435761U + static_cast<uint64_t>(::getpid());
}

}  // namespace

std::filesystem::path temporary_name(const std::filesystem::path& path) {
  std::filesystem::path name = path;
  name += fmt::format(".tmp{:016x}", random_number());
  return name;
}

Result<NewFile> make_file_beside(const std::filesystem::path& path, int access) {
  constexpr int kMostTries = 100;
  for (int i = 0; i < kMostTries; ++i) {
    const std::filesystem::path name = temporary_name(path);
    const int descriptor = ::open(name.c_str(), access | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      return NewFile{name, descriptor};
    }
    if (errno != EEXIST) {
      return file_error(path, "write", errno);
    }
  }
  return file_error(path, "write", EEXIST);
}

Result<void> expect_no_input(const std::filesystem::path& output, std::span<const std::filesystem::path> inputs) {
  struct stat target{};
  if (::stat(output.c_str(), &target) != 0 || !S_ISREG(target.st_mode)) {
    return {};
  }
  const auto same = std::find_if(inputs.begin(), inputs.end(), [&](const std::filesystem::path& input) {
    struct stat source{};
    return ::stat(input.c_str(), &source) == 0 && source.st_dev == target.st_dev && source.st_ino == target.st_ino;
  });
  if (same == inputs.end()) {
    return {};
  }
  return Error{ErrorKind::kUsage, fmt::format("{} is read: it cannot be the output as well", same->string()),
               "give --output another name"};
}

}  // namespace aaco
