// SPDX-License-Identifier: MIT
#include "model/builtin/unfinished_file.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/files/file.h"

namespace aaco {

namespace {

constexpr const char* kMark = ".unfinished";

bool is_named(int fd) {
  struct stat info{};
  return ::fstat(fd, &info) == 0 && info.st_nlink > 0;
}

}  // namespace

Result<UnfinishedFile> UnfinishedFile::create(const std::filesystem::path& target) {
  static std::atomic<int> next_number{0};  // threads of this process that write the same file
  for (;;) {
    std::filesystem::path path = target;
    path += fmt::format("{}{}.{}", kMark, ::getpid(), next_number++);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) {
      continue;  // of a process in another PID namespace, or of one before this
    }
    if (fd < 0) {
      return file_error(target, "write", errno);
    }
    // Another process that tidies up may have come in between; a file system without locks is one without tidying.
    while (::flock(fd, LOCK_EX) != 0 && errno == EINTR) {
    }
    if (is_named(fd)) {
      return UnfinishedFile(target, path, fd);
    }
    ::close(fd);
  }
}

UnfinishedFile::UnfinishedFile(std::filesystem::path target, std::filesystem::path path, int fd)
    : target_(std::move(target)), path_(std::move(path)), fd_(fd), unfinished_(path_) {}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept
    : target_(std::move(other.target_)),
      path_(std::exchange(other.path_, {})),
      fd_(std::exchange(other.fd_, -1)),
      unfinished_(std::move(other.unfinished_)) {}

UnfinishedFile::~UnfinishedFile() {
  if (!path_.empty()) {
    ::unlink(path_.c_str());
  }
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

Result<void> UnfinishedFile::finish() {
  if (::fsync(fd_) != 0 || ::rename(path_.c_str(), target_.c_str()) != 0) {
    return file_error(target_, "write", errno);
  }
  path_.clear();
  return {};
}

void remove_abandoned_files(const std::filesystem::path& folder) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::filesystem::path& path = entry->path();
    if (path.filename().string().find(kMark) == std::string::npos) {
      continue;
    }
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) {
      continue;
    }
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) {
      ::unlink(path.c_str());
    }
    ::close(fd);
  }
}

}  // namespace aaco
