// SPDX-License-Identifier: MIT
// The bytes of an ELF file, read without trust in what its headers say.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace aaco {

// Mapped, since only a few pages of what may be gigabytes are looked at.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status{};
    if (descriptor < 0 || ::fstat(descriptor, &status) != 0) {
      error_ = errno;
    } else if (S_ISREG(status.st_mode) && status.st_size > 0) {
      size_ = static_cast<size_t>(status.st_size);
      map_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
      error_ = map_ == MAP_FAILED ? errno : 0;
    } else {
      error_ = EINVAL;
    }
    if (descriptor >= 0) {
      ::close(descriptor);
    }
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (map_ != MAP_FAILED) {
      ::munmap(map_, size_);
    }
  }
  int error() const { return error_; }
  std::span<const char> bytes() const { return {static_cast<const char*>(map_), size_}; }

 private:
  void* map_ = MAP_FAILED;
  size_t size_ = 0;
  int error_ = 0;
};

inline std::span<const char> part(std::span<const char> bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset ? bytes.subspan(offset, size)
                                                                 : std::span<const char>();
}

template <class T>
std::optional<T> read_at(std::span<const char> bytes, uint64_t offset) {
  const std::span<const char> source = part(bytes, offset, sizeof(T));
  if (source.empty()) {
    return std::nullopt;
  }
  T value;
  std::memcpy(&value, source.data(), sizeof value);
  return value;
}

inline std::string_view text_at(std::span<const char> texts, uint64_t offset) {
  if (offset >= texts.size()) {
    return {};
  }
  return {texts.data() + offset, ::strnlen(texts.data() + offset, texts.size() - offset)};
}

}  // namespace aaco
