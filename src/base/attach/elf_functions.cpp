// SPDX-License-Identifier: MIT
#include "base/attach/elf_functions.h"

#include <algorithm>
#include <elf.h>

#include "base/attach/elf_bytes.h"

namespace aaco {

ElfFunctions::ElfFunctions(const std::filesystem::path& path) {
  const MappedFile mapped(path);
  if (mapped.error() != 0) {
    return;
  }
  const std::span<const char> bytes = mapped.bytes();
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64) {
    return;
  }
  for (uint64_t i = 0; i < header->e_phnum; ++i) {
    const auto segment = read_at<Elf64_Phdr>(bytes, header->e_phoff + i * sizeof(Elf64_Phdr));
    if (segment && segment->p_type == PT_LOAD) {
      segments_.push_back({segment->p_offset, segment->p_filesz, segment->p_vaddr});
    }
  }
  const auto section_at = [&](uint64_t index) {
    return read_at<Elf64_Shdr>(bytes, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  for (const uint32_t type : {uint32_t{SHT_SYMTAB}, uint32_t{SHT_DYNSYM}}) {
    for (uint64_t i = 0; i < header->e_shnum && functions_.empty(); ++i) {
      const auto symbols = section_at(i);
      const auto texts_section = symbols && symbols->sh_type == type && symbols->sh_link < header->e_shnum
                                     ? section_at(symbols->sh_link)
                                     : std::nullopt;
      if (!texts_section) {
        continue;
      }
      const std::span<const char> texts = part(bytes, texts_section->sh_offset, texts_section->sh_size);
      for (uint64_t at = 0; at < symbols->sh_size / sizeof(Elf64_Sym); ++at) {
        const auto symbol = read_at<Elf64_Sym>(bytes, symbols->sh_offset + at * sizeof(Elf64_Sym));
        if (!symbol) {
          break;
        }
        const uint8_t kind = ELF64_ST_TYPE(symbol->st_info);
        if (symbol->st_shndx != SHN_UNDEF && (kind == STT_FUNC || kind == STT_GNU_IFUNC)) {
          functions_.push_back({symbol->st_value, symbol->st_size, std::string(text_at(texts, symbol->st_name))});
        }
      }
    }
  }
  std::sort(functions_.begin(), functions_.end(),
            [](const Function& a, const Function& b) { return a.address < b.address; });
}

std::string ElfFunctions::name_at(uint64_t offset) const {
  const auto segment = std::find_if(segments_.begin(), segments_.end(), [&](const Segment& each) {
    return offset >= each.offset && offset - each.offset < each.bytes;
  });
  if (segment == segments_.end()) {
    return "";
  }
  const uint64_t address = segment->address + (offset - segment->offset);
  auto after = std::upper_bound(functions_.begin(), functions_.end(), address,
                                [](uint64_t value, const Function& each) { return value < each.address; });
  if (after == functions_.begin()) {
    return "";
  }
  const Function& function = *--after;
  // Written in assembly a function may have no size: it reaches to the next one.
  return function.bytes == 0 || address - function.address < function.bytes ? function.name : "";
}

}  // namespace aaco
