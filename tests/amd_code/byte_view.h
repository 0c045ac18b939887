// SPDX-License-Identifier: MIT
// Bytes that others wrote, read within their bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace aaco::amd {

class ByteView {
 public:
  explicit ByteView(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // Nothing where the range is not all within the bytes.
  std::optional<std::span<const std::byte>> part(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset) {
      return std::nullopt;
    }
    return bytes_.subspan(offset, size);
  }

  template <class T>
  std::optional<T> read(std::uint64_t offset) const {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto from = part(offset, sizeof(T));
    if (!from) {
      return std::nullopt;
    }
    T value{};
    std::memcpy(&value, from->data(), sizeof(T));
    return value;
  }

  std::optional<std::string_view> text(std::uint64_t offset, std::uint64_t size) const {
    const auto from = part(offset, size);
    if (!from) {
      return std::nullopt;
    }
    return std::string_view(reinterpret_cast<const char*>(from->data()), from->size());
  }

  // Up to the zero byte that ends it.
  std::optional<std::string_view> terminated_text(std::uint64_t offset) const {
    if (offset >= bytes_.size()) {
      return std::nullopt;
    }
    const auto* from = reinterpret_cast<const char*>(bytes_.data()) + offset;
    const void* end = std::memchr(from, 0, bytes_.size() - offset);
    if (end == nullptr) {
      return std::nullopt;
    }
    return std::string_view(from, static_cast<std::size_t>(static_cast<const char*>(end) - from));
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace aaco::amd
