// SPDX-License-Identifier: MIT
// What this process can do from now on, for work on others' behalf, such as a user's SQL: read a few folders, compute,
// and write to what is open already. Limits of memory and time always; files by Landlock (Linux 5.13) and system calls
// by seccomp where the kernel has them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace aaco {

struct ConfinementRequest {
  std::vector<std::filesystem::path> readable;  // folders and files, with all below; what is not there is left out
  uint64_t memory_bytes = 0;                    // private memory that can be written; 0: as it is
  uint64_t processor_seconds = 0;               // then the process is ended; 0: as it is
};

// What holds.
struct Confinement {
  bool files = false;        // nothing else can be opened, nothing be made
  bool calls = false;        // no sockets, no programs, no other processes
  std::string missing = {};  // why one does not; empty: both hold
};

// Cannot be undone; threads that are started later are held too, those that run already are not by Landlock. Errors:
// kResource where a limit cannot be set.
Result<Confinement> confine_process(const ConfinementRequest& request);

}  // namespace aaco
