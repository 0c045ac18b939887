// SPDX-License-Identifier: MIT
// Whether a signal was sent to the whole process group or to this process alone: the kernel does not tell who else got
// it, so another process of the group is asked.
#pragma once

#include <sys/types.h>
#include <utility>

#include "base/result.h"

namespace aaco {

// A child that blocks all signals and sleeps: those of the group stay pending there, each once. It ends with aaco.
class GroupWitness {
 public:
  // Errors: kResource.
  static Result<GroupWitness> start();
  GroupWitness(GroupWitness&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  GroupWitness& operator=(GroupWitness&&) = delete;
  ~GroupWitness();

  // Whether the group has got such a signal since the start.
  bool has_seen(int number) const;

 private:
  explicit GroupWitness(pid_t pid) : pid_(pid) {}

  pid_t pid_;  // -1 once moved from
};

}  // namespace aaco
