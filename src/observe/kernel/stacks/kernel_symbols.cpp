// SPDX-License-Identifier: MIT
#include "observe/kernel/stacks/kernel_symbols.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <string_view>

namespace aaco {

KernelSymbols::KernelSymbols(const std::filesystem::path& file) {
  std::ifstream text(file);
  // "ffffffff81000000 T _text", and of a module a tab and its name behind.
  for (std::string line; std::getline(text, line);) {
    uint64_t address = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), address, 16);
    const size_t used = static_cast<size_t>(end - line.data());
    if (error != std::errc() || line.size() < used + 4) {
      continue;
    }
    const char type = line[used + 1];
    if (address != 0 && (type == 't' || type == 'T' || type == 'w' || type == 'W')) {
      const std::string_view name = std::string_view(line).substr(used + 3);
      symbols_.push_back({address, std::string(name.substr(0, name.find('\t')))});
    }
  }
  if (symbols_.empty()) {
    unread_ = "names of the kernel's functions are hidden: CAP_SYSLOG, or kernel.kptr_restrict=0, shows them";
  }
  std::stable_sort(symbols_.begin(), symbols_.end(),
                   [](const Symbol& a, const Symbol& b) { return a.address < b.address; });
}

std::string KernelSymbols::name_at(uint64_t address) const {
  const auto after = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                                      [](uint64_t value, const Symbol& each) { return value < each.address; });
  return after == symbols_.begin() ? fmt::format("0x{:x}", address) : std::prev(after)->name;
}

}  // namespace aaco
