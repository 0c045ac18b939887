// SPDX-License-Identifier: MIT
// What a process has mapped, as /proc/PID/maps says it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace aaco {

struct Mapping {
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t offset = 0;  // in the file
  bool executable = false;
  std::string path;  // empty: no file; "[stack]" and the like too

  bool contains(uint64_t address) const { return address >= start && address < end; }
};

// What a file of /proc says; empty where it cannot be read, as when its process has ended.
std::string read_proc_text(const std::filesystem::path& path);
// The threads of the process of `pid`; none where it has ended.
std::vector<pid_t> read_threads(pid_t pid);

// Lines that are none are left out.
std::vector<Mapping> parse_maps(std::string_view text);
const Mapping* mapping_at(const std::vector<Mapping>& maps, uint64_t address);
// The first mapping of a file whose name (without folders) starts so; null: none.
const Mapping* mapping_of_file(const std::vector<Mapping>& maps, std::string_view name);

}  // namespace aaco
