// SPDX-License-Identifier: MIT
// Names of the kernel's functions, of /proc/kallsyms.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace aaco {

class KernelSymbols {
 public:
  explicit KernelSymbols(const std::filesystem::path& file = "/proc/kallsyms");

  // Why there are no names; empty: there are.
  const std::string& unread() const { return unread_; }
  // Of the function that holds the address; the address in hex where no name is known.
  std::string name_at(uint64_t address) const;

 private:
  struct Symbol {
    uint64_t address = 0;
    std::string name;
  };
  std::vector<Symbol> symbols_;  // by address
  std::string unread_;
};

}  // namespace aaco
