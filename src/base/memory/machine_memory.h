// SPDX-License-Identifier: MIT
// How much memory there is, by the kernel's account.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace aaco {

// What can be had without swapping: MemAvailable, and where the control group of this process (version 2, as a
// container sees it) has a limit, what that leaves. None where the kernel does not tell.
std::optional<int64_t> available_memory_bytes();
// Of the machine.
std::optional<int64_t> total_memory_bytes();

// From now on blocks of a MiB and more go back to the system as soon as they are freed: what this process holds is then
// what it uses. Else the C library keeps, of those that came before, up to 32 MiB each.
void give_back_large_blocks();

// Errors: kUnavailable where `bytes` are more than there are, naming both; not where the kernel does not tell. `what`
// is what needs them.
Result<void> expect_memory(uint64_t bytes, std::optional<int64_t> available, const std::string& what, std::string hint);

}  // namespace aaco
