// SPDX-License-Identifier: MIT
#include "kind/observation/ring_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utility>

#include "base/files/file.h"
#include "device/observe_variables.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr const char* kMemory = "/dev/shm";
constexpr std::string_view kName = "aaco_observe_";
constexpr int kReadForeign = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;  // nor wait for a FIFO's writer
constexpr const char* kNewOwnerFile = "owner.new";                            // until it is locked
// Containers give 64 MiB unless they are asked for more.
constexpr uint64_t kLeastRings = 8;

bool has_room(const char* folder) {
  struct statvfs state{};
  return ::statvfs(folder, &state) == 0 &&
         uint64_t{state.f_bavail} * state.f_frsize >= kLeastRings * RingFolder::kRingBytes;
}

// Everybody may make a folder of that name: only those of this user are looked into.
bool is_own(const fs::path& folder) {
  struct stat state{};
  return ::lstat(folder.c_str(), &state) == 0 && S_ISDIR(state.st_mode) && state.st_uid == ::geteuid();
}

// Nobody locks it any more. Without such a file a folder is about to be owned, or processes left it when they saw that
// nobody does; then files of theirs may be there.
bool is_left(const fs::path& folder) {
  const int owner = ::open((folder / observe_variable::kOwnerFile).c_str(), kReadForeign);
  if (owner >= 0) {
    struct stat file{};
    const bool is_free = ::fstat(owner, &file) == 0 && S_ISREG(file.st_mode) && ::flock(owner, LOCK_EX | LOCK_NB) == 0;
    ::close(owner);
    return is_free;
  }
  if (errno != ENOENT) {
    return false;
  }
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  return !error && std::any_of(begin(entries), end(entries), [](const fs::directory_entry& entry) {
    return entry.path().filename() != kNewOwnerFile && entry.path().filename() != observe_variable::kOwnerFile;
  });
}

void remove_left() {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(kMemory, error)) {
    if (entry.path().filename().string().starts_with(kName) && is_own(entry.path()) && is_left(entry.path())) {
      std::error_code ignored;  // another observer removes it too, or it is another user's
      fs::remove_all(entry.path(), ignored);
    }
  }
}

}  // namespace

Result<RingFolder> RingFolder::create(const fs::path& otherwise) {
  remove_left();
  if (has_room(kMemory)) {
    std::string name = fmt::format("{}/{}XXXXXX", kMemory, kName);
    if (::mkdtemp(name.data()) != nullptr) {
      return own(name);
    }
  }
  std::error_code error;
  const fs::path folder = fs::absolute(otherwise, error) / "rings";  // the program may work in another folder
  AACO_TRY(make_folders(folder));
  return own(folder);
}

Result<RingFolder> RingFolder::own(fs::path path) {
  const fs::path unlocked = path / kNewOwnerFile;
  const fs::path file = path / observe_variable::kOwnerFile;
  const int owner = ::open(unlocked.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  // Under its name it is locked from the first moment: what is not is removed.
  if (owner < 0 || ::flock(owner, LOCK_EX) != 0 || ::rename(unlocked.c_str(), file.c_str()) != 0) {
    return Error{ErrorKind::kResource, file.string() + ": " + std::strerror(errno), "make room there"};
  }
  return RingFolder(std::move(path), owner);
}

Result<void> RingFolder::give_to(uid_t user, gid_t group) const {
  if (user == ::geteuid()) {
    return {};
  }
  for (const fs::path& path : {path_ / observe_variable::kOwnerFile, path_}) {
    if (::lchown(path.c_str(), user, group) != 0) {
      return Error{ErrorKind::kResource, path.string() + ": " + std::strerror(errno), "run aaco as the program's user"};
    }
  }
  return {};
}

RingFolder::~RingFolder() {
  if (owner_ >= 0) {
    ::close(owner_);
    std::error_code ignored;  // a process that still runs may make its ring at this moment
    fs::remove_all(path_, ignored);
  }
}

}  // namespace aaco
