// SPDX-License-Identifier: MIT
// Memory in a file without a name, for what is more than a process should hold: contiguous, read and written like any
// other. The system keeps its pages where it can, on the disk else; of all such memory only so much is in this process
// at a time: a thread gives the rest back. Room on the disk is taken before it is used, so that a full disk is an error
// here and no signal later. The file is gone with the process, however that ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <new>
#include <span>
#include <utility>

#include "base/result.h"

namespace aaco {

// Where memory beyond a limit goes.
struct SpillPlan {
  uint64_t memory_bytes = UINT64_MAX;    // that growing arrays may take, those of the process together
  uint64_t resident_bytes = UINT64_MAX;  // of files that are mapped, the program's own among them: about
  std::filesystem::path folder;          // of the files
};
const SpillPlan& spill_plan();
// For what grows from now on. Not while another thread grows an array.
void set_spill_plan(SpillPlan plan);

// There is no room: what a growing array throws. Whoever knows nothing of files takes it as memory that is not there.
class SpillFailed : public std::bad_alloc {
 public:
  explicit SpillFailed(Error error) : error_(std::move(error)) {}
  const char* what() const noexcept override { return error_.message.c_str(); }
  const Error& error() const { return error_; }

 private:
  Error error_;
};

class SpillFile {
 public:
  // In the plan's folder, with a copy of `content` at its start. Throws SpillFailed, as grow() does.
  SpillFile(size_t bytes, std::span<const std::byte> content);
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;
  ~SpillFile();

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  void grow(size_t bytes);  // may move

 private:
  void take_room(size_t bytes);
  void write(std::span<const std::byte> content) const;

  std::filesystem::path folder_;
  int fd_ = -1;
  void* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace aaco
