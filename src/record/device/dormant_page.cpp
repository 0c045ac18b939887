// SPDX-License-Identifier: MIT
#include "record/device/dormant_page.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <new>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "record/device/bell.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

fs::path folder_of(const fs::path& root, uid_t user) { return root / ("aaco_dormant_" + std::to_string(user)); }

// Anybody may make names in /dev/shm: only the user's own folder is trusted.
bool is_private(const fs::path& folder, uid_t user) {
  struct stat status{};
  return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == user &&
         (status.st_mode & 077) == 0;
}

DormantPage* map_page(int descriptor) {
  void* map = ::mmap(nullptr, sizeof(DormantPage), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return map == MAP_FAILED ? nullptr : static_cast<DormantPage*>(map);
}

}  // namespace

std::optional<uint64_t> start_ticks_of(pid_t pid) {
  constexpr int kFieldsBefore = 20;  // behind the name, whose bracket is the last
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  size_t place = text.rfind(')');
  for (int field = 0; field < kFieldsBefore && place != std::string::npos; ++field) {
    place = text.find(' ', place + 1);
  }
  uint64_t ticks = 0;
  if (place == std::string::npos ||
      std::from_chars(text.data() + place + 1, text.data() + text.size(), ticks).ec != std::errc()) {
    return std::nullopt;
  }
  return ticks;
}

std::unique_ptr<DormantSleeper> DormantSleeper::create(const fs::path& root) {
  const fs::path folder = folder_of(root, ::geteuid());
  const std::optional<uint64_t> ticks = start_ticks_of(::getpid());
  static_cast<void>(::mkdir(folder.c_str(), 0700));  // it may be there
  if (!ticks || !is_private(folder, ::geteuid())) {
    return nullptr;
  }
  fs::path path = folder / (std::to_string(::getpid()) + '_' + std::to_string(*ticks));
  const std::string unfinished = path.string() + ".new";
  const int descriptor = ::open(unfinished.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  // A store into a page that the file system has not got would end the program.
  const bool has_room = descriptor >= 0 && ::posix_fallocate(descriptor, 0, sizeof(DormantPage)) == 0;
  DormantPage* page = has_room ? map_page(descriptor) : nullptr;
  if (descriptor >= 0) {
    ::close(descriptor);
  }
  if (page == nullptr) {
    static_cast<void>(::unlink(unfinished.c_str()));  // it may not be there
    return nullptr;
  }
  new (page) DormantPage;
  if (::rename(unfinished.c_str(), path.c_str()) != 0) {
    ::munmap(page, sizeof *page);
    return nullptr;
  }
  return std::unique_ptr<DormantSleeper>(new DormantSleeper(page, std::move(path)));
}

DormantSleeper::~DormantSleeper() { ::munmap(page_, sizeof *page_); }

void DormantSleeper::remove() const { static_cast<void>(::unlink(path_.c_str())); }

std::string DormantSleeper::wait() {
  while (page_->bell.load(std::memory_order_acquire) == heard_) {
    wait_for_bell(page_->bell, heard_, std::nullopt);
  }
  heard_ = page_->bell.load(std::memory_order_acquire);
  std::string text(page_->text.data(), strnlen(page_->text.data(), page_->text.size()));
  page_->taken_bell.store(heard_, std::memory_order_release);
  return text;
}

bool wake_dormant(pid_t pid, uint64_t start_ticks, uid_t user, std::string_view text, const fs::path& root) {
  const fs::path folder = folder_of(root, user);
  const fs::path path = folder / (std::to_string(pid) + '_' + std::to_string(start_ticks));
  if (text.size() >= DormantPage::kTextBytes || !is_private(folder, user)) {
    return false;
  }
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  struct stat status{};
  // One observer at a time; it is unlocked when this is closed.
  DormantPage* page = descriptor >= 0 && ::fstat(descriptor, &status) == 0 &&
                              status.st_size >= static_cast<off_t>(sizeof(DormantPage)) &&
                              ::flock(descriptor, LOCK_EX) == 0
                          ? map_page(descriptor)
                          : nullptr;
  bool is_taken = false;
  if (page != nullptr && page->magic == DormantPage::kMagic) {
    std::copy(text.begin(), text.end(), page->text.begin());
    page->text[text.size()] = '\0';
    ring_bell(page->bell);
    const uint32_t rung = page->bell.load(std::memory_order_acquire);
    for (int turn = 0; turn < 2000 && !is_taken; ++turn) {
      is_taken = page->taken_bell.load(std::memory_order_acquire) == rung;
      if (!is_taken) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  }
  if (page != nullptr) {
    ::munmap(page, sizeof *page);
  }
  if (descriptor >= 0) {
    ::close(descriptor);
  }
  return is_taken;
}

}  // namespace aaco
