// SPDX-License-Identifier: MIT
#include "base/growing_memory.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <sys/mman.h>
#include <utility>

namespace aaco {

namespace {

constexpr size_t kLeastInFile = size_t{1} << 16;
constexpr size_t kLargePage = size_t{1} << 21;

std::atomic<uint64_t> allocated_bytes = 0;  // of all arrays

// Where the system has them: filling pages of 4 KiB one by one costs as much as the values do.
void ask_for_large_pages(void* data, size_t bytes) {
  const size_t ahead = (kLargePage - reinterpret_cast<uintptr_t>(data) % kLargePage) % kLargePage;
  if (bytes >= ahead + kLargePage) {
    (void)::madvise(static_cast<char*>(data) + ahead, (bytes - ahead) / kLargePage * kLargePage, MADV_HUGEPAGE);
  }
}

}  // namespace

GrowingMemory::~GrowingMemory() {
  std::free(data_);
  allocated_bytes -= bytes_;
}

void GrowingMemory::grow(size_t bytes, size_t used_bytes) {
  if (file_) {
    file_->grow(bytes);
  } else if (bytes >= kLeastInFile && allocated_bytes - bytes_ + bytes > spill_plan().memory_bytes) {
    move_to_file(bytes, used_bytes);
  } else {
    grow_in_memory(bytes);
  }
}

void GrowingMemory::grow_in_memory(size_t bytes) {
  void* const moved = std::realloc(data_, bytes);
  if (moved == nullptr) {
    throw std::bad_alloc();
  }
  allocated_bytes += bytes - bytes_;
  data_ = moved;
  bytes_ = bytes;
  ask_for_large_pages(data_, bytes_);
}

void GrowingMemory::move_to_file(size_t bytes, size_t used_bytes) {
  file_ = std::make_unique<SpillFile>(bytes, std::span(static_cast<const std::byte*>(data_), used_bytes));
  std::free(std::exchange(data_, nullptr));
  allocated_bytes -= std::exchange(bytes_, 0);
}

void GrowingMemory::swap(GrowingMemory& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(file_, other.file_);
}

}  // namespace aaco
