// SPDX-License-Identifier: MIT
#include "base/memory/machine_memory.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <malloc.h>
#include <string>
#include <string_view>
#include <utility>

#include "base/files/file.h"
#include "base/format.h"

namespace aaco {

namespace {

std::optional<int64_t> number_in(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  int64_t number = 0;
  const bool is_one = std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc{};
  return is_one ? std::optional(number) : std::nullopt;
}

std::optional<int64_t> meminfo_bytes(std::string_view key) {
  const auto content = read_file("/proc/meminfo");
  if (!content) {
    return std::nullopt;
  }
  const size_t at = content->find(key);
  const auto kib =
      at == std::string::npos ? std::nullopt : number_in(std::string_view(*content).substr(at + key.size()));
  return kib ? std::optional(*kib * 1024) : std::nullopt;
}

// "max" where there is no limit.
std::optional<int64_t> cgroup_bytes(const char* file) {
  const auto content = read_file(std::string("/sys/fs/cgroup/") + file);
  return content ? number_in(*content) : std::nullopt;
}

}  // namespace

std::optional<int64_t> available_memory_bytes() {
  const std::optional<int64_t> of_machine = meminfo_bytes("MemAvailable:");
  const std::optional<int64_t> most = cgroup_bytes("memory.max");
  const std::optional<int64_t> used = cgroup_bytes("memory.current");
  if (!most || !used) {
    return of_machine;
  }
  const int64_t of_group = std::max<int64_t>(*most - *used, 0);
  return of_machine ? std::min(*of_machine, of_group) : of_group;
}

std::optional<int64_t> total_memory_bytes() { return meminfo_bytes("MemTotal:"); }

void give_back_large_blocks() {
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 4 << 20);
}

Result<void> expect_memory(uint64_t bytes, std::optional<int64_t> available, const std::string& what,
                           std::string hint) {
  if (!available || bytes <= static_cast<uint64_t>(std::max<int64_t>(*available, 0))) {
    return {};
  }
  return Error{ErrorKind::kUnavailable,
               fmt::format("{} needs {} of memory, {} are available", what, format_si(static_cast<double>(bytes), "B"),
                           format_si(static_cast<double>(*available), "B")),
               std::move(hint)};
}

}  // namespace aaco
