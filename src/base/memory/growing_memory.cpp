// SPDX-License-Identifier: MIT
#include "base/memory/growing_memory.h"

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <sys/mman.h>
#include <utility>

namespace aaco {

namespace {

constexpr size_t kLeastInFile = size_t{1} << 16;
constexpr size_t kLargePage = size_t{1} << 21;

std::atomic<uint64_t> allocated_bytes = 0;  // of all arrays

// Pages of its own, which grow without a copy: from the size on of which the system may have large ones. Filling pages
// of 4 KiB one by one costs as much as the values do. (Of the allocator's blocks large pages may be asked for in part
// only; the system then sees two mappings and moves neither.)
bool has_own_pages(size_t bytes) { return bytes >= kLargePage; }

// Whole large pages that none has touched, from a multiple of their size on: only there they are large, and stay so
// when they move.
void* aligned_pages(size_t bytes, int protection) {
  const size_t more = bytes + kLargePage;
  void* const mapped = ::mmap(nullptr, more, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    return nullptr;
  }
  auto* const start = static_cast<std::byte*>(mapped);
  const size_t before = (kLargePage - std::bit_cast<uintptr_t>(mapped) % kLargePage) % kLargePage;
  if (before > 0) {
    ::munmap(start, before);
  }
  if (before + bytes < more) {
    ::munmap(start + before + bytes, more - before - bytes);
  }
  return start + before;
}

void* with_own_pages(void* data, size_t old_bytes, size_t bytes) {
  if (!has_own_pages(old_bytes)) {
    void* const pages = aligned_pages(bytes, PROT_READ | PROT_WRITE);
    if (pages != nullptr) {
      (void)::madvise(pages, bytes, MADV_HUGEPAGE);  // slower without
      if (old_bytes > 0) {
        std::memcpy(pages, data, old_bytes);
        std::free(data);
      }
    }
    return pages;
  }
  if (void* const grown = ::mremap(data, old_bytes, bytes, 0); grown != MAP_FAILED) {
    return grown;
  }
  void* const room = aligned_pages(bytes, PROT_NONE);
  if (room == nullptr) {
    return nullptr;
  }
  void* const moved = ::mremap(data, old_bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, room);
  if (moved == MAP_FAILED) {
    ::munmap(room, bytes);
    return nullptr;
  }
  return moved;
}

void give_back(void* data, size_t bytes) {
  if (has_own_pages(bytes)) {
    ::munmap(data, bytes);
  } else {
    std::free(data);
  }
}

}  // namespace

GrowingMemory::~GrowingMemory() {
  give_back(data_, bytes_);
  allocated_bytes -= bytes_;
}

size_t GrowingMemory::grow(size_t bytes, size_t used_bytes) {
  if (file_) {
    file_->grow(bytes);
  } else if (bytes >= kLeastInFile && allocated_bytes - bytes_ + bytes > spill_plan().memory_bytes) {
    move_to_file(bytes, used_bytes);
  } else {
    grow_in_memory(bytes);
  }
  return file_ ? bytes : bytes_;
}

// A large page that is there in part when it is first touched is made of small ones: there are whole ones only.
void GrowingMemory::grow_in_memory(size_t bytes) {
  if (bytes > SIZE_MAX - 2 * kLargePage) {
    throw std::bad_alloc();
  }
  if (has_own_pages(bytes)) {
    bytes = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  }
  void* const moved = has_own_pages(bytes) ? with_own_pages(data_, bytes_, bytes) : std::realloc(data_, bytes);
  if (moved == nullptr) {
    throw std::bad_alloc();
  }
  allocated_bytes += bytes - bytes_;
  data_ = moved;
  bytes_ = bytes;
}

void GrowingMemory::move_to_file(size_t bytes, size_t used_bytes) {
  file_ = std::make_unique<SpillFile>(bytes, std::span(static_cast<const std::byte*>(data_), used_bytes));
  allocated_bytes -= bytes_;
  give_back(std::exchange(data_, nullptr), std::exchange(bytes_, 0));
}

void GrowingMemory::swap(GrowingMemory& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(file_, other.file_);
}

}  // namespace aaco
