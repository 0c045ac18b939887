// SPDX-License-Identifier: MIT
#include "base/process/event_file.h"

#include <cerrno>
#include <cstdint>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/process/limit_error.h"

namespace aaco {

Result<EventFile> EventFile::create() {
  const int descriptor = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (descriptor < 0) {
    return limit_error("make an event file", errno);
  }
  return EventFile(descriptor);
}

EventFile::~EventFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

void wake(int descriptor) {
  const uint64_t signal = 1;
  (void)!::write(descriptor, &signal, sizeof signal);  // full: it is readable
}

}  // namespace aaco
