// SPDX-License-Identifier: MIT
// An array for columns of many million values: contiguous, appended to, of trivially copyable T. It grows without a
// copy of the whole and without holding two, and memory beyond the last value is address space only. What is more than
// the process should hold lies in files (spill_file.h): with them it is all one address space to the reader. Throws
// std::bad_alloc like the standard containers, SpillFailed among them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "base/memory/growing_memory.h"

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
  ~GrowingArray() = default;

  void push_back(const T& value) {
    if (size_ == capacity_) {
      const T copy = value;  // may lie in this array
      reserve(next_capacity());
      data_[size_++] = copy;
      return;
    }
    data_[size_++] = value;
  }

  // `count` more values, which are not set.
  T* extend(size_t count) {
    if (capacity_ - size_ < count) {
      reserve(std::max(next_capacity(), size_ + count));
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
    capacity_ = memory_.grow(capacity * sizeof(T), size_ * sizeof(T)) / sizeof(T);
    data_ = static_cast<T*>(memory_.data());
  }

  void shrink(size_t size) { size_ = size; }  // to the first ones; keeps the memory

  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  std::span<const T> view() const { return {data_, size_}; }
  std::span<T> view() { return {data_, size_}; }
  bool in_file() const { return memory_.in_file(); }

 private:
  static constexpr size_t kFirst = 64;

  // Double the last one, and less where that is much: what is reserved counts against the spill plan.
  size_t next_capacity() const {
    constexpr size_t kMuch = (size_t{1} << 26) / sizeof(T);
    return std::max(kFirst, capacity_ < kMuch ? 2 * capacity_ : capacity_ + capacity_ / 4);
  }

  void swap(GrowingArray& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  GrowingMemory memory_;
  T* data_ = nullptr;  // its
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace aaco
