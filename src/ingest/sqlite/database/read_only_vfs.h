// SPDX-License-Identifier: MIT
// How SQLite reaches a file here: by a descriptor that is open already, for reading only. Whatever a database asks for,
// no other file is opened, no journal is replayed, no lock is taken and nothing is written.
#pragma once

#include <cstdint>
#include <string>

namespace aaco {

// The name under which SQLite knows this way of access. Registers it the first time; null where SQLite refuses.
const char* read_only_vfs();

// The name by which a connection through it opens a descriptor. The descriptor stays its owner's.
std::string name_for_vfs(int file);

// Bytes that a database claims to have in its header; 0 where it does not say. A file that was cut is read as if the
// rest were there and could not be understood: so its first part can be read.
uint64_t claimed_bytes(int file);

}  // namespace aaco
