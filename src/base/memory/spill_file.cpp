// SPDX-License-Identifier: MIT
#include "base/memory/spill_file.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

#include "base/files/file.h"

namespace aaco {

namespace {

SpillPlan& plan() {
  static SpillPlan of_the_process;
  return of_the_process;
}

std::atomic<uint64_t> most_resident_bytes = UINT64_MAX;  // the plan's, for the thread that watches

// Pages of files that this process has mapped and touched; 0 where the kernel does not tell.
uint64_t mapped_file_bytes() {
  const auto counts = read_file("/proc/self/statm");
  if (!counts) {
    return 0;
  }
  char* at = nullptr;
  (void)std::strtoull(counts->c_str(), &at, 10);  // pages of the address space; then those that are resident
  (void)std::strtoull(at, &at, 10);
  return std::strtoull(at, nullptr, 10) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Looks at what is resident as long as there is a file.
class Resident {
 public:
  static Resident& instance() {
    static Resident of_the_process;
    return of_the_process;
  }

  std::mutex& mutex() { return mutex_; }  // no file is mapped elsewhere while another holds it

  void add(const SpillFile* file) {
    const std::lock_guard lock(mutex_);
    files_.insert(file);
    changed_.notify_one();
  }

  void remove(const SpillFile* file) {
    const std::lock_guard lock(mutex_);
    files_.erase(file);
  }

 private:
  // Touching what the system has in its cache goes at some GB/s: tens of MB meanwhile.
  static constexpr std::chrono::milliseconds kPeriod{5};

  void watch(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (changed_.wait(lock, stop, [this] { return !files_.empty(); })) {
      if (mapped_file_bytes() > most_resident_bytes) {
        for (const SpillFile* file : files_) {
          (void)::madvise(file->data(), file->bytes(), MADV_DONTNEED);  // of a shared file: its content stays
        }
      }
      changed_.wait_for(lock, stop, kPeriod, [this] { return files_.empty(); });
    }
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::set<const SpillFile*> files_;
  std::jthread watch_{[this](const std::stop_token& stop) { watch(stop); }};  // last: ends before the rest goes
};

SpillFailed failed(const std::filesystem::path& folder, int error_number) {
  return SpillFailed(file_error(folder, "put what is more than memory should hold into", error_number));
}

// A file that no other process can open.
int open_nameless(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) {
    return fd;
  }
  std::string name = folder / "aaco-XXXXXX";  // a file system that knows only files with names
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) {
    ::unlink(name.c_str());
  }
  return named;
}

}  // namespace

const SpillPlan& spill_plan() { return plan(); }

void set_spill_plan(SpillPlan new_plan) {
  most_resident_bytes = new_plan.resident_bytes;
  plan() = std::move(new_plan);
}

SpillFile::SpillFile(size_t bytes, std::span<const std::byte> content) : folder_(plan().folder) {
  fd_ = open_nameless(folder_);
  if (fd_ < 0) {
    throw failed(folder_, errno);
  }
  try {
    take_room(bytes);
    write(content);
    data_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
    if (data_ == MAP_FAILED) {
      throw std::bad_alloc();
    }
  } catch (...) {
    ::close(fd_);
    throw;
  }
  bytes_ = bytes;
  Resident::instance().add(this);
}

SpillFile::~SpillFile() {
  Resident::instance().remove(this);
  ::munmap(data_, bytes_);
  ::close(fd_);
}

void SpillFile::grow(size_t bytes) {
  take_room(bytes);
  const std::lock_guard lock(Resident::instance().mutex());
  void* const moved = ::mremap(data_, bytes_, bytes, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) {
    throw std::bad_alloc();
  }
  data_ = moved;
  bytes_ = bytes;
}

void SpillFile::take_room(size_t bytes) {
  int problem = EINTR;
  while (problem == EINTR) {
    problem = ::posix_fallocate(fd_, 0, static_cast<off_t>(bytes));
  }
  if (problem != 0) {
    throw failed(folder_, problem);
  }
}

// Past the mapping, so that it does not become resident.
void SpillFile::write(std::span<const std::byte> content) const {
  for (size_t done = 0; done < content.size();) {
    const ssize_t count = ::pwrite(fd_, content.data() + done, content.size() - done, static_cast<off_t>(done));
    if (count < 0 && errno != EINTR) {
      throw failed(folder_, errno);
    }
    done += count > 0 ? static_cast<size_t>(count) : 0;
  }
}

}  // namespace aaco
