// SPDX-License-Identifier: MIT
// A descriptor that becomes readable when somebody says so (eventfd), for those who wait in a poll.
#pragma once

#include <utility>

#include "base/result.h"

namespace aaco {

class EventFile {
 public:
  // Errors: kResource naming the limit.
  static Result<EventFile> create();
  EventFile(EventFile&& other) noexcept : descriptor_(other.release()) {}
  EventFile& operator=(EventFile&&) = delete;
  ~EventFile();

  int descriptor() const { return descriptor_; }
  // From now on it is the caller's.
  int release() { return std::exchange(descriptor_, -1); }

 private:
  explicit EventFile(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

// Makes it readable; safe in a signal handler. It cannot fail but where it is readable already.
void wake(int descriptor);

}  // namespace aaco
