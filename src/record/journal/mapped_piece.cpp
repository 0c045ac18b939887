// SPDX-License-Identifier: MIT
#include "record/journal/mapped_piece.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <utility>

#include "base/process/thread_start.h"

namespace aaco {

namespace {

int allocate(int fd, uint64_t offset) {
  int failed = EINTR;
  while (failed == EINTR) {
    failed = ::posix_fallocate(fd, static_cast<off_t>(offset), MappedPiece::kBytes);
  }
  return failed;
}

}  // namespace

MappedPiece map_piece(int fd, uint64_t offset) {
  if (const int failed = allocate(fd, offset); failed != 0) {
    return {nullptr, failed};
  }
  void* map = ::mmap(nullptr, MappedPiece::kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, static_cast<off_t>(offset));
  if (map == MAP_FAILED) {
    return {nullptr, errno};
  }
  // Page faults are taken here and not by a store; where the file system promised space that it does not have, this
  // says so (EFAULT) and a store would have been SIGBUS. Kernels before 5.14 do not know the advice, which is no error.
  if (::madvise(map, MappedPiece::kBytes, MADV_POPULATE_WRITE) != 0 && errno != EINVAL) {
    const int failed = errno == EFAULT ? ENOSPC : errno;
    ::munmap(map, MappedPiece::kBytes);
    return {nullptr, failed};
  }
  return {static_cast<char*>(map), 0};
}

void unmap_piece(char* map) {
  if (map != nullptr) {
    ::munmap(map, MappedPiece::kBytes);
  }
}

std::unique_ptr<PieceAhead> PieceAhead::start(int fd) {
  std::unique_ptr<PieceAhead> ahead(new PieceAhead(fd));
  Result<std::thread> thread = start_thread([own = ahead.get()] { own->run(); });
  if (!thread) {
    return nullptr;
  }
  ahead->thread_ = std::move(*thread);
  return ahead;
}

PieceAhead::~PieceAhead() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
  unmap_piece(full_);
  if (piece_) {
    unmap_piece(piece_->map);
  }
}

void PieceAhead::prepare(uint64_t offset, char* full) {
  {
    const std::lock_guard lock(mutex_);
    wanted_ = offset;
    unmap_piece(std::exchange(full_, full));
  }
  changed_.notify_all();
}

MappedPiece PieceAhead::take() {
  std::unique_lock lock(mutex_);
  if (wanted_) {  // the thread has not had a processor yet
    const uint64_t offset = *std::exchange(wanted_, std::nullopt);
    lock.unlock();
    return map_piece(fd_, offset);
  }
  changed_.wait(lock, [&] { return piece_.has_value(); });
  return *std::exchange(piece_, std::nullopt);
}

void PieceAhead::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ended_ || wanted_; });
    if (ended_) {
      return;
    }
    const uint64_t offset = *std::exchange(wanted_, std::nullopt);
    char* const full = std::exchange(full_, nullptr);
    lock.unlock();
    const MappedPiece piece = map_piece(fd_, offset);
    unmap_piece(full);
    lock.lock();
    piece_ = piece;
    changed_.notify_all();
  }
}

}  // namespace aaco
