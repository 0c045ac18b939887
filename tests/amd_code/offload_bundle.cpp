// SPDX-License-Identifier: MIT
#include "offload_bundle.h"

#include <cstdint>
#include <elf.h>
#include <link.h>
#include <string_view>

#include "byte_view.h"

namespace aaco::amd {
namespace {

constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view kCompressedMagic = "CCOB";
constexpr std::uint64_t kMostEntries = 256;
constexpr std::uint64_t kLongestTarget = 256;

Error damaged(const std::string& what) {
  return {ErrorKind::kUsage, "a damaged offload bundle: " + what, "build the HIP module anew"};
}

// "gfx942:sramecc+:xnack-" and "gfx942" are both gfx942.
std::string architecture_of(std::string_view target) {
  if (!target.starts_with("hip")) {
    return "";
  }
  const std::string_view last = target.substr(target.rfind('-') + 1);
  return std::string(last.substr(0, last.find(':')));
}

struct SegmentSearch {
  std::uintptr_t address = 0;
  std::uintptr_t end = 0;
};

int look_in_object(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  auto& search = *static_cast<SegmentSearch*>(data);
  for (ElfW(Half) i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && search.address >= begin && search.address - begin < segment.p_filesz) {
      search.end = begin + segment.p_filesz;
      return 1;
    }
  }
  return 0;
}

}  // namespace

Result<std::vector<BundleEntry>> read_bundle(std::span<const std::byte> bytes) {
  const ByteView view(bytes);
  if (view.text(0, kCompressedMagic.size()) == kCompressedMagic) {
    return Error{ErrorKind::kUnavailable, "an offload bundle is compressed", "build without --offload-compress"};
  }
  if (view.text(0, kMagic.size()) != kMagic) {
    return damaged("it does not begin as one does");
  }
  const auto count = view.read<std::uint64_t>(kMagic.size());
  if (!count || *count > kMostEntries) {
    return damaged("the number of its entries");
  }
  std::vector<BundleEntry> entries;
  std::uint64_t place = kMagic.size() + sizeof(std::uint64_t);
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto offset = view.read<std::uint64_t>(place);
    const auto size = view.read<std::uint64_t>(place + 8);
    const auto length = view.read<std::uint64_t>(place + 16);
    const auto target =
        length && *length <= kLongestTarget ? view.text(place + 24, *length) : std::optional<std::string_view>();
    const auto code = offset && size ? view.part(*offset, *size) : std::optional<std::span<const std::byte>>();
    if (!target || !code) {
      return damaged("entry " + std::to_string(i));
    }
    entries.push_back({std::string(*target), architecture_of(*target), *code});
    place += 24 + *length;
  }
  return entries;
}

Result<std::span<const std::byte>> code_for(std::span<const std::byte> bundle, const std::string& architecture) {
  AACO_ASSIGN(const auto entries, read_bundle(bundle));
  std::string known;
  for (const BundleEntry& entry : entries) {
    if (!entry.architecture.empty() && entry.architecture == architecture) {
      return entry.code;
    }
    known += entry.architecture.empty() ? "" : (known.empty() ? "" : ", ") + entry.architecture;
  }
  return Error{ErrorKind::kUnavailable, "no code for " + architecture + " among " + known,
               "build with -DAACO_ARCHITECTURES=all"};
}

Result<std::span<const std::byte>> loaded_bytes_from(const void* start) {
  SegmentSearch search{reinterpret_cast<std::uintptr_t>(start)};
  if (dl_iterate_phdr(look_in_object, &search) == 0) {
    return Error{ErrorKind::kUsage, "a fat binary lies in no segment that was loaded from a file", "build it anew"};
  }
  return std::span(static_cast<const std::byte*>(start), search.end - search.address);
}

Result<std::vector<std::span<const std::byte>>> bundles_of_library(std::span<const std::byte> file) {
  const Error no_section{ErrorKind::kUsage, "no library with a section .hip_fatbin", "name libaaco_hip.so"};
  const ByteView view(file);
  const auto header = view.read<Elf64_Ehdr>(0);
  if (!header || view.text(0, SELFMAG) != std::string_view(ELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_shentsize != sizeof(Elf64_Shdr)) {
    return no_section;
  }
  const auto names = view.read<Elf64_Shdr>(header->e_shoff + std::uint64_t{header->e_shstrndx} * sizeof(Elf64_Shdr));
  for (std::uint64_t i = 0; names && i < header->e_shnum; ++i) {
    const auto section = view.read<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
    const auto content = section ? view.part(section->sh_offset, section->sh_size) : std::nullopt;
    if (!content || view.terminated_text(names->sh_offset + section->sh_name) != ".hip_fatbin") {
      continue;
    }
    const std::string_view text(reinterpret_cast<const char*>(content->data()), content->size());
    std::vector<std::span<const std::byte>> bundles;
    for (std::size_t at = text.find(kMagic); at != std::string_view::npos; at = text.find(kMagic, at + 1)) {
      bundles.push_back(content->subspan(at));
    }
    return bundles;
  }
  return no_section;
}

}  // namespace aaco::amd
