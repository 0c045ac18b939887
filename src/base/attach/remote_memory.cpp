// SPDX-License-Identifier: MIT
#include "base/attach/remote_memory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace aaco {

RemoteMemory::RemoteMemory(pid_t pid)
    : descriptor_(::open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDWR | O_CLOEXEC)) {}

RemoteMemory::~RemoteMemory() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

size_t RemoteMemory::read(uint64_t address, void* bytes, size_t size) const {
  size_t count = 0;
  while (count < size) {
    const ssize_t more =
        ::pread(descriptor_, static_cast<char*>(bytes) + count, size - count, static_cast<off_t>(address + count));
    if (more <= 0) {
      break;
    }
    count += static_cast<size_t>(more);
  }
  return count;
}

bool RemoteMemory::write(uint64_t address, const void* bytes, size_t size) const {
  return ::pwrite(descriptor_, bytes, size, static_cast<off_t>(address)) == static_cast<ssize_t>(size);
}

std::string RemoteMemory::read_text(uint64_t address, size_t most) const {
  std::string text(most, '\0');
  text.resize(read(address, text.data(), most));
  return text.substr(0, text.find('\0'));
}

}  // namespace aaco
