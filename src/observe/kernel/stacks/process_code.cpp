// SPDX-License-Identifier: MIT
#include "observe/kernel/stacks/process_code.h"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <fmt/format.h>

#include "base/clock.h"

namespace aaco {

namespace {

// A library that was loaded since: its addresses are looked for anew, but not at each wild one.
constexpr int64_t kReadAgainNs = 100'000'000;

std::string plain_name(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? name.get() : symbol;
}

// Frames are stored with ';' between them, and stacks a line each: neither stands within a name.
std::string frame_of(std::string name) {
  std::ranges::replace(name, ';', ':');
  std::ranges::replace(name, '\n', ' ');
  return name;
}

}  // namespace

std::optional<CodePlace> ProcessCode::place(int64_t process, uint64_t address) {
  Maps& maps = maps_[process];
  const Mapping* mapping = mapping_at(maps.mappings, address);
  const int64_t now_ns = monotonic_ns();
  if (mapping == nullptr && (maps.read_at_ns == 0 || now_ns - maps.read_at_ns > kReadAgainNs)) {
    maps.read_at_ns = now_ns;
    std::vector<Mapping> fresh = parse_maps(read_proc_text(proc_ / std::to_string(process) / "maps"));
    if (!fresh.empty()) {  // else it has ended: what was read before holds on
      maps.mappings = std::move(fresh);
    }
    mapping = mapping_at(maps.mappings, address);
  }
  if (mapping == nullptr || !mapping->executable) {
    return std::nullopt;
  }
  return mapping->path.starts_with('/') ? CodePlace{mapping->path, address - mapping->start + mapping->offset}
                                        : CodePlace{"", 0};
}

std::string ProcessCode::name(const CodePlace& place) {
  if (place.path.empty()) {
    return "[no file]";
  }
  std::unique_ptr<ElfFunctions>& file = files_[place.path];
  if (!file) {
    file = std::make_unique<ElfFunctions>(place.path);
  }
  const std::string symbol = file->name_at(place.offset);
  return frame_of(symbol.empty()
                      ? fmt::format("{}+0x{:x}", std::filesystem::path(place.path).filename().string(), place.offset)
                      : plain_name(symbol));
}

}  // namespace aaco
