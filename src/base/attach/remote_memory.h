// SPDX-License-Identifier: MIT
// The memory of another process, by /proc/PID/mem.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>

namespace aaco {

class RemoteMemory {
 public:
  // What cannot be opened reads and writes nothing.
  explicit RemoteMemory(pid_t pid);
  RemoteMemory(const RemoteMemory&) = delete;
  RemoteMemory& operator=(const RemoteMemory&) = delete;
  ~RemoteMemory();

  // How many bytes were read: fewer where what follows is not mapped.
  size_t read(uint64_t address, void* bytes, size_t size) const;
  // Also where the process itself may not write. Whether all of it was.
  bool write(uint64_t address, const void* bytes, size_t size) const;

  template <class T>
  std::optional<T> read_value(uint64_t address) const {
    T value;
    return read(address, &value, sizeof value) == sizeof value ? std::optional(value) : std::nullopt;
  }
  template <class T>
  bool write_value(uint64_t address, const T& value) const {
    return write(address, &value, sizeof value);
  }
  // Up to its zero, at most so many bytes.
  std::string read_text(uint64_t address, size_t most) const;

 private:
  int descriptor_;
};

}  // namespace aaco
