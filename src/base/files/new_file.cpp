// SPDX-License-Identifier: MIT
#include "base/files/new_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <fmt/format.h>
#include <string>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "base/clock.h"
#include "base/files/file.h"

namespace aaco {

namespace {

// Unguessable where the kernel has random numbers at hand; O_EXCL keeps the promise where it has not.
uint64_t random_number() {
  uint64_t number = 0;
  return ::getrandom(&number, sizeof number, GRND_NONBLOCK) == sizeof number
             ? number
             : static_cast<uint64_t>(monotonic_ns()) * 2654435761U + static_cast<uint64_t>(::getpid());
}

bool is_same_file(int descriptor, const std::filesystem::path& path) {
  struct stat opened{};
  struct stat status{};
  return ::fstat(descriptor, &opened) == 0 && ::lstat(path.c_str(), &status) == 0 && opened.st_dev == status.st_dev &&
         opened.st_ino == status.st_ino;
}

// `open_flags`: O_DIRECTORY for folders. Not removed while it is somebody else's, or locked.
void remove_if_dead(const std::filesystem::path& path, int open_flags) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | open_flags);
  if (descriptor < 0) {
    return;
  }
  struct stat status{};
  const bool is_folder = (open_flags & O_DIRECTORY) != 0;
  if (::fstat(descriptor, &status) == 0 && (is_folder ? S_ISDIR(status.st_mode) : S_ISREG(status.st_mode)) &&
      status.st_uid == ::geteuid() && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  ::close(descriptor);
}

void remove_dead(const std::filesystem::path& folder, std::string_view prefix, int open_flags) {
  std::vector<std::filesystem::path> leftovers;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (entry->path().filename().native().starts_with(prefix)) {
      leftovers.push_back(entry->path());
    }
  }
  for (const std::filesystem::path& path : leftovers) {
    remove_if_dead(path, open_flags);
  }
}

}  // namespace

std::string machine_mark() {
  static const std::string mark = [] {
    const Result<std::string> boot = read_file("/proc/sys/kernel/random/boot_id", 4096);
    return boot && !boot->empty() ? sha256_of(*boot).substr(0, 8) : "";
  }();
  return mark;
}

bool lock_as_owner(int descriptor, const std::filesystem::path& path) {
  const bool is_being_removed = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return !is_being_removed && is_same_file(descriptor, path);
}

void remove_dead_folders(const std::filesystem::path& parent, std::string_view prefix) {
  if (const std::string mark = machine_mark(); !mark.empty()) {
    remove_dead(parent, fmt::format("{}{}-", prefix, mark), O_DIRECTORY);
  }
}

void remove_dead_files(const std::filesystem::path& target) {
  if (const std::string mark = machine_mark(); !mark.empty()) {
    const std::filesystem::path folder = target.parent_path();
    remove_dead(folder.empty() ? "." : folder, fmt::format("{}.tmp{}", target.filename().native(), mark), 0);
  }
}

std::filesystem::path temporary_name(const std::filesystem::path& path) {
  std::filesystem::path name = path;
  const std::string mark = machine_mark();  // for remove_dead_files()
  name += fmt::format(".tmp{}{:0{}x}", mark, random_number() >> (4 * mark.size()), 16 - mark.size());
  return name;
}

Result<NewFile> make_file_beside(const std::filesystem::path& path, int access) {
  constexpr int kMostTries = 100;
  if (access == O_WRONLY) {
    remove_dead_files(path);
  }
  for (int i = 0; i < kMostTries; ++i) {
    const std::filesystem::path name = temporary_name(path);
    const int descriptor = ::open(name.c_str(), access | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor >= 0 && (access != O_WRONLY || lock_as_owner(descriptor, name))) {
      return NewFile{name, descriptor};
    }
    if (descriptor >= 0) {
      ::close(descriptor);
    } else if (errno != EEXIST) {
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
