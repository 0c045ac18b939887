// SPDX-License-Identifier: MIT
// The pieces of a journal's file in memory: each a MiB, allocated and mapped before anything is stored in it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace aaco {

struct MappedPiece {
  static constexpr size_t kBytes = size_t{1} << 20;
  char* map = nullptr;
  int failed = 0;  // of errno; then there is no map
};

MappedPiece map_piece(int fd, uint64_t offset);
void unmap_piece(char* map);

// Maps the next piece in a thread of its own while the one before fills: a file system takes a millisecond for it,
// which is 60 ns for each event that fits.
class PieceAhead {
 public:
  // Null where no thread could be started: then who needs a piece maps it.
  static std::unique_ptr<PieceAhead> start(int fd);
  PieceAhead(const PieceAhead&) = delete;
  PieceAhead& operator=(const PieceAhead&) = delete;
  // The file is not touched any more.
  ~PieceAhead();

  // What was prepared before is taken. `full` is unmapped.
  void prepare(uint64_t offset, char* full);
  // What was prepared last; waits where the thread is at it, and maps it here where the thread has not begun.
  MappedPiece take();

 private:
  explicit PieceAhead(int fd) : fd_(fd) {}
  void run();

  int fd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<uint64_t> wanted_;  // offset
  char* full_ = nullptr;
  std::optional<MappedPiece> piece_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace aaco
