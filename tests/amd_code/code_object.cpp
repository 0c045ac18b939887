// SPDX-License-Identifier: MIT
#include "code_object.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <elf.h>
#include <map>
#include <new>
#include <optional>
#include <utility>

#include "byte_view.h"

namespace aaco::amd {
namespace {

// Of the AMDGPU backend; Debian's elf.h knows the machine alone.
constexpr std::uint32_t kMachineOfFlags = 0xff;  // EF_AMDGPU_MACH
constexpr std::uint32_t kMetadataNote = 32;      // NT_AMDGPU_METADATA
constexpr std::uint32_t kRelative64 = 13;        // R_AMDGPU_RELATIVE64
constexpr std::size_t kImageAlignment = 4096;
constexpr std::uint64_t kLargestImage = std::uint64_t{1} << 28;

struct MachineFlag {
  const char* architecture;
  std::uint32_t flag;
};
constexpr std::array kMachines{MachineFlag{"gfx908", 0x30}, MachineFlag{"gfx90a", 0x3f}, MachineFlag{"gfx942", 0x4c},
                               MachineFlag{"gfx1030", 0x36}, MachineFlag{"gfx1100", 0x41}};

Error damaged(const std::string& what) {
  return {ErrorKind::kUsage, "a damaged code object: " + what, "build the HIP module anew"};
}

struct Symbol {
  std::uint64_t value = 0;
  std::uint64_t bytes = 0;
};

class ElfFile {
 public:
  explicit ElfFile(std::span<const std::byte> bytes) : view_(bytes) {}

  Result<void> read_header(const std::string& architecture) {
    const auto header = view_.read<Elf64_Ehdr>(0);
    if (!header || view_.text(0, SELFMAG) != std::string_view(ELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_machine != EM_AMDGPU || header->e_type != ET_DYN) {
      return damaged("its ELF header");
    }
    if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_shentsize != sizeof(Elf64_Shdr)) {
      return damaged("the size of its headers");
    }
    header_ = *header;
    const auto* const machine = std::find_if(kMachines.begin(), kMachines.end(),
                                             [&](const auto& each) { return architecture == each.architecture; });
    if (machine == kMachines.end() || (header_.e_flags & kMachineOfFlags) != machine->flag) {
      return Error{ErrorKind::kUsage, "a code object that is not for " + architecture, "name another architecture"};
    }
    return {};
  }

  // Of all segments that are loaded.
  Result<std::uint64_t> image_bytes() const {
    std::uint64_t end = 0;
    AACO_TRY(for_segments([&](const Elf64_Phdr& segment) -> Result<void> {
      if (segment.p_type == PT_LOAD) {
        if (segment.p_vaddr > kLargestImage || segment.p_memsz > kLargestImage || segment.p_filesz > segment.p_memsz) {
          return damaged("a segment of impossible size");
        }
        end = std::max(end, segment.p_vaddr + segment.p_memsz);
      }
      return {};
    }));
    return end;
  }

  Result<void> load_into(std::span<std::byte> image) const {
    return for_segments([&](const Elf64_Phdr& segment) -> Result<void> {
      if (segment.p_type != PT_LOAD || segment.p_filesz == 0) {
        return {};
      }
      const auto content = view_.part(segment.p_offset, segment.p_filesz);
      if (!content) {
        return damaged("a segment beyond its end");
      }
      std::memcpy(image.data() + segment.p_vaddr, content->data(), content->size());
      return {};
    });
  }

  Result<std::span<const std::byte>> metadata() const {
    std::optional<std::span<const std::byte>> found;
    AACO_TRY(for_segments([&](const Elf64_Phdr& segment) -> Result<void> {
      std::uint64_t at = segment.p_offset;
      while (segment.p_type == PT_NOTE && !found && at - segment.p_offset < segment.p_filesz) {
        const auto note = view_.read<Elf64_Nhdr>(at);
        const auto owner = note ? view_.terminated_text(at + sizeof(Elf64_Nhdr)) : std::nullopt;
        if (!owner) {
          return damaged("its notes");
        }
        const std::uint64_t content = at + sizeof(Elf64_Nhdr) + padded(note->n_namesz);
        if (note->n_type == kMetadataNote && owner == "AMDGPU") {
          found = view_.part(content, note->n_descsz);
        }
        at = content + padded(note->n_descsz);
      }
      return {};
    }));
    return found ? Result<std::span<const std::byte>>(*found) : damaged("no metadata");
  }

  Result<std::map<std::string, Symbol, std::less<>>> symbols() const {
    std::map<std::string, Symbol, std::less<>> all;
    AACO_TRY(for_sections(SHT_DYNSYM, [&](const Elf64_Shdr& section) -> Result<void> {
      const auto strings = section_at(section.sh_link);
      const auto names = strings ? view_.part(strings->sh_offset, strings->sh_size) : std::nullopt;
      if (!names) {
        return damaged("the names of its symbols");
      }
      for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
        const auto symbol = view_.read<Elf64_Sym>(section.sh_offset + at);
        const auto name = symbol ? ByteView(*names).terminated_text(symbol->st_name) : std::nullopt;
        if (!name) {
          return damaged("its symbols");
        }
        all[std::string(*name)] = {symbol->st_value, symbol->st_size};
      }
      return {};
    }));
    return all;
  }

  // Addresses in the image become those of where it lies.
  Result<void> relocate(std::span<std::byte> image) const {
    return for_sections(SHT_RELA, [&](const Elf64_Shdr& section) -> Result<void> {
      for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= section.sh_size; at += sizeof(Elf64_Rela)) {
        const auto entry = view_.read<Elf64_Rela>(section.sh_offset + at);
        if (!entry || ELF64_R_TYPE(entry->r_info) != kRelative64 || image.size() < sizeof(std::uint64_t) ||
            entry->r_offset > image.size() - sizeof(std::uint64_t)) {
          return damaged("a relocation of type " + std::to_string(entry ? ELF64_R_TYPE(entry->r_info) : 0) +
                         ", or beyond its end");
        }
        const std::uint64_t address =
            reinterpret_cast<std::uintptr_t>(image.data()) + static_cast<std::uint64_t>(entry->r_addend);
        std::memcpy(image.data() + entry->r_offset, &address, sizeof(address));
      }
      return {};
    });
  }

 private:
  static std::uint64_t padded(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

  std::optional<Elf64_Shdr> section_at(std::uint64_t index) const {
    return index < header_.e_shnum ? view_.read<Elf64_Shdr>(header_.e_shoff + index * sizeof(Elf64_Shdr))
                                   : std::nullopt;
  }

  template <class F>
  Result<void> for_segments(const F& call) const {
    for (std::uint64_t i = 0; i < header_.e_phnum; ++i) {
      const auto segment = view_.read<Elf64_Phdr>(header_.e_phoff + i * sizeof(Elf64_Phdr));
      if (!segment) {
        return damaged("its table of segments");
      }
      AACO_TRY(call(*segment));
    }
    return {};
  }

  template <class F>
  Result<void> for_sections(std::uint32_t type, const F& call) const {
    for (std::uint64_t i = 0; i < header_.e_shnum; ++i) {
      const auto section = section_at(i);
      if (!section || (section->sh_type == type && !view_.part(section->sh_offset, section->sh_size))) {
        return damaged("its table of sections");
      }
      if (section->sh_type == type) {
        AACO_TRY(call(*section));
      }
    }
    return {};
  }

  ByteView view_;
  Elf64_Ehdr header_{};
};

// What the hardware is told at a launch: "Kernel Descriptor" of the backend's guide.
struct KernelDescriptor {
  std::uint32_t lds_bytes;
  std::uint32_t scratch_bytes;
  std::uint32_t kernarg_bytes;
  std::uint32_t reserved0;
  std::uint64_t entry;  // from the descriptor on, signed
  std::array<std::uint32_t, 5> reserved1;
  std::uint32_t rsrc3;
  std::uint32_t rsrc1;
  std::uint32_t rsrc2;
  std::uint16_t properties;
  std::array<std::uint16_t, 3> reserved2;
};
static_assert(sizeof(KernelDescriptor) == 64);

Result<KernelCode> code_from(std::span<std::byte> image, std::uint64_t descriptor, const KernelMetadata& metadata) {
  const auto is = ByteView(image).read<KernelDescriptor>(descriptor);
  if (!is) {
    return damaged("the descriptor of " + metadata.name);
  }
  KernelCode code;
  code.name = metadata.name;
  code.image = image;
  code.lds_bytes = is->lds_bytes;
  code.scratch_bytes_per_lane = is->scratch_bytes;
  code.kernarg_bytes = is->kernarg_bytes;
  code.entry = descriptor + is->entry;
  code.rsrc3 = is->rsrc3;
  code.rsrc1 = is->rsrc1;
  code.rsrc2 = is->rsrc2;
  code.properties = is->properties;
  if (code.lds_bytes != metadata.lds_bytes || code.scratch_bytes_per_lane != metadata.scratch_bytes ||
      code.kernarg_bytes != metadata.kernarg_bytes) {
    return damaged("descriptor and metadata of " + metadata.name + " differ");
  }
  return code;
}

}  // namespace

void CodeObject::AlignedDelete::operator()(std::byte* memory) const {
  ::operator delete[](memory, std::align_val_t{kImageAlignment});
}

Result<CodeObject> CodeObject::load(std::span<const std::byte> elf, const std::string& architecture) {
  ElfFile file(elf);
  AACO_TRY(file.read_header(architecture));
  AACO_ASSIGN(const std::uint64_t bytes, file.image_bytes());
  CodeObject object;
  object.architecture_ = architecture;
  object.image_bytes_ = (bytes + kImageAlignment - 1) / kImageAlignment * kImageAlignment;
  object.image_.reset(
      static_cast<std::byte*>(::operator new[](object.image_bytes_, std::align_val_t{kImageAlignment})));
  std::memset(object.image_.get(), 0, object.image_bytes_);
  AACO_TRY(file.load_into(object.image()));
  AACO_TRY(file.relocate(object.image()));
  AACO_ASSIGN(const auto note, file.metadata());
  AACO_ASSIGN(auto all_metadata, read_metadata(note));
  AACO_ASSIGN(const auto symbols, file.symbols());
  for (KernelMetadata& metadata : all_metadata) {
    const auto descriptor = symbols.find(metadata.symbol);
    const auto function = symbols.find(metadata.name);
    if (descriptor == symbols.end() || function == symbols.end()) {
      return damaged("no symbols for " + metadata.name);
    }
    AACO_ASSIGN(KernelCode code, code_from(object.image(), descriptor->second.value, metadata));
    code.architecture = architecture;
    if (code.entry != function->second.value || !ByteView(object.image()).part(code.entry, function->second.bytes)) {
      return damaged("the entry of " + metadata.name);
    }
    object.kernels_.push_back({std::move(metadata), std::move(code), function->second.bytes});
  }
  return object;
}

const LoadedKernel* CodeObject::find(std::string_view name) const {
  const auto found =
      std::find_if(kernels_.begin(), kernels_.end(), [&](const auto& each) { return each.metadata.name == name; });
  return found == kernels_.end() ? nullptr : &*found;
}

}  // namespace aaco::amd
