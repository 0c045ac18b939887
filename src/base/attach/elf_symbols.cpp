// SPDX-License-Identifier: MIT
#include "base/attach/elf_symbols.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <span>

#include "base/attach/elf_bytes.h"
#include "base/files/file.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

void read_segments(std::span<const char> bytes, const Elf64_Ehdr& header, ElfFile& file) {
  bool is_first = true;
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    const auto segment = read_at<Elf64_Phdr>(bytes, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) {
      return;
    }
    file.has_interpreter = file.has_interpreter || segment->p_type == PT_INTERP;
    if (segment->p_type == PT_LOAD && is_first) {
      constexpr uint64_t kPageBytes = 4096;
      file.linked_at = (segment->p_vaddr - segment->p_offset) & ~(kPageBytes - 1);
      is_first = false;
    }
  }
}

constexpr uint16_t kOldVersion = 0x8000;  // of a symbol that only programs linked before get

void read_symbols(std::span<const char> bytes, const Elf64_Ehdr& header, const std::vector<std::string_view>& names,
                  ElfFile& file) {
  std::vector<Elf64_Shdr> sections;
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto section = read_at<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) {
      return;
    }
    sections.push_back(*section);
  }
  const auto of_type = [&](uint32_t type) {
    const auto section =
        std::find_if(sections.begin(), sections.end(), [&](const Elf64_Shdr& each) { return each.sh_type == type; });
    return section != sections.end() ? &*section : nullptr;
  };
  const Elf64_Shdr* symbols = of_type(SHT_DYNSYM);
  if (symbols == nullptr || symbols->sh_link >= sections.size()) {
    return;
  }
  const Elf64_Shdr* versions = of_type(SHT_GNU_versym);
  const Elf64_Shdr& texts_section = sections[symbols->sh_link];
  const std::span<const char> texts = part(bytes, texts_section.sh_offset, texts_section.sh_size);
  for (uint64_t i = 0; i < symbols->sh_size / sizeof(Elf64_Sym); ++i) {
    const auto symbol = read_at<Elf64_Sym>(bytes, symbols->sh_offset + i * sizeof(Elf64_Sym));
    if (!symbol) {
      return;
    }
    const uint8_t type = ELF64_ST_TYPE(symbol->st_info);
    if (symbol->st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC)) {
      continue;
    }
    const std::string_view name = text_at(texts, symbol->st_name);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      continue;
    }
    const auto version = versions != nullptr ? read_at<uint16_t>(bytes, versions->sh_offset + i * 2) : std::nullopt;
    if (!version || (*version & kOldVersion) == 0) {
      file.wanted.push_back({std::string(name), symbol->st_value, symbol->st_size});
    }
  }
}

}  // namespace

const ElfSymbol* ElfFile::find(std::string_view name) const {
  const auto symbol =
      std::find_if(wanted.begin(), wanted.end(), [&](const ElfSymbol& each) { return each.name == name; });
  return symbol != wanted.end() ? &*symbol : nullptr;
}

Result<ElfFile> read_elf(const fs::path& path, const std::vector<std::string_view>& names) {
  const MappedFile mapped(path);
  if (mapped.error() != 0) {
    return file_error(path, "read", mapped.error());
  }
  const std::span<const char> bytes = mapped.bytes();
  if (bytes.size() < EI_NIDENT || std::memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) {
    return Error{ErrorKind::kUsage, path.string() + ": no ELF file", "name a program's process"};
  }
  ElfFile file;
  if (bytes[EI_CLASS] == ELFCLASS32) {
    file.machine = ElfMachine::k32Bit;
    return file;
  }
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  if (!header || header->e_machine != EM_X86_64) {
    return file;
  }
  file.machine = ElfMachine::kX86_64;
  read_segments(bytes, *header, file);
  read_symbols(bytes, *header, names, file);
  return file;
}

}  // namespace aaco
