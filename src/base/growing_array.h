// SPDX-License-Identifier: MIT
// An array for columns of many million values: contiguous, appended to, of trivially copyable T. It grows by realloc,
// which moves large blocks by remapping their pages: growth neither copies nor holds two copies, and memory beyond the
// last value is address space only. Throws std::bad_alloc like the standard containers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <sys/mman.h>
#include <type_traits>
#include <utility>

namespace aaco {

template <class T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowingArray() = default;
  GrowingArray(GrowingArray&& other) noexcept { swap(other); }
  GrowingArray& operator=(GrowingArray&& other) noexcept {
    swap(other);
    return *this;
  }
  GrowingArray(const GrowingArray&) = delete;
  GrowingArray& operator=(const GrowingArray&) = delete;
  ~GrowingArray() { std::free(data_); }

  void push_back(const T& value) {
    if (size_ == capacity_) {
      const T copy = value;  // may lie in this array
      reserve(capacity_ == 0 ? kFirst : 2 * capacity_);
      data_[size_++] = copy;
      return;
    }
    data_[size_++] = value;
  }

  // `count` more values, which are not set.
  T* extend(size_t count) {
    if (capacity_ - size_ < count) {
      reserve(std::max({kFirst, 2 * capacity_, size_ + count}));
    }
    T* const first = data_ + size_;
    size_ += count;
    return first;
  }

  void reserve(size_t capacity) {
    if (capacity <= capacity_) {
      return;
    }
    if (capacity > SIZE_MAX / sizeof(T)) {
      throw std::bad_alloc();
    }
    void* moved = std::realloc(data_, capacity * sizeof(T));
    if (moved == nullptr) {
      throw std::bad_alloc();
    }
    data_ = static_cast<T*>(moved);
    capacity_ = capacity;
    ask_for_large_pages();
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  std::span<const T> view() const { return {data_, size_}; }

 private:
  static constexpr size_t kFirst = 64;
  static constexpr size_t kLargePage = size_t{1} << 21;

  // Where the system has them: filling pages of 4 KiB one by one costs as much as the values do.
  void ask_for_large_pages() {
    const size_t bytes = capacity_ * sizeof(T);
    const size_t ahead = (kLargePage - reinterpret_cast<uintptr_t>(data_) % kLargePage) % kLargePage;
    if (bytes >= ahead + kLargePage) {
      (void)::madvise(reinterpret_cast<char*>(data_) + ahead, (bytes - ahead) / kLargePage * kLargePage, MADV_HUGEPAGE);
    }
  }

  void swap(GrowingArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace aaco
