// SPDX-License-Identifier: MIT
#include "device/gpu/lockstep/symbols.h"

#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <vector>

namespace aaco::gpu::lockstep {
namespace {

// The linker and the loader have accepted this file: its tables are as they should be.
template <class T>
std::vector<T> table_of(const std::string& file, const Elf64_Shdr& section) {
  std::vector<T> table(section.sh_size / sizeof(T));
  std::memcpy(table.data(), file.data() + section.sh_offset, table.size() * sizeof(T));
  return table;
}

}  // namespace

Symbols::Symbols() {
  Dl_info library{};
  if (dladdr(reinterpret_cast<const void*>(&table_of<Elf64_Sym>), &library) == 0) {
    return;
  }
  std::ifstream stream(library.dli_fname, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  Elf64_Ehdr header{};
  if (file.size() < sizeof(header)) {
    return;
  }
  std::memcpy(&header, file.data(), sizeof(header));
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), file.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB) {
      continue;
    }
    const char* strings = file.data() + sections[section.sh_link].sh_offset;
    for (const Elf64_Sym& symbol : table_of<Elf64_Sym>(file, section)) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) {
        continue;
      }
      const void* address = static_cast<const char*>(library.dli_fbase) + symbol.st_value;
      const std::string name = strings + symbol.st_name;
      const auto [known, added] = addresses_.emplace(name, address);
      if (!added && known->second != address) {
        known->second = nullptr;  // local functions of one name in two files
      }
      names_.emplace(address, name);
    }
  }
}

const void* Symbols::address_of(const std::string& name) const {
  const auto address = addresses_.find(name);
  return address != addresses_.end() ? address->second : nullptr;
}

std::string Symbols::name_of(const void* function) const {
  const auto name = names_.find(function);
  return name != names_.end() ? name->second : "?";
}

}  // namespace aaco::gpu::lockstep
