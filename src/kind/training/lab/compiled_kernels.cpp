// SPDX-License-Identifier: MIT
#include "kind/training/lab/compiled_kernels.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "base/files/file.h"
#include "base/json/json.h"
#include "device/backends/module_backend.h"

namespace aaco {

namespace {

constexpr std::string_view kBundle = "__CLANG_OFFLOAD_BUNDLE__";
constexpr uint32_t kMetadataNote = 32;  // NT_AMDGPU_METADATA
constexpr uint64_t kMostEntries = 64;   // of a bundle

// A struct at an offset; none where it reaches behind the end.
template <class T>
std::optional<T> at(std::string_view bytes, uint64_t offset) {
  T value;
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
    return std::nullopt;
  }
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::string_view part(std::string_view bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset ? bytes.substr(offset, size) : std::string_view();
}

std::string readable_name(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  std::string text = status == 0 && name != nullptr ? name.get() : symbol;
  text = text.substr(0, text.find('('));
  return text.starts_with("void ") ? text.substr(5) : text;
}

int64_t count_in(const Json& kernel, const char* name) {
  const auto found = kernel.find(name);
  return found != kernel.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
}

void add_kernels(std::string_view metadata, std::vector<CompiledKernel>& kernels) {
  const Json json = Json::from_msgpack(metadata.begin(), metadata.end(), true, false);
  const auto listed = json.is_object() ? json.find("amdhsa.kernels") : json.end();
  if (listed == json.end() || !listed->is_array()) {
    return;
  }
  for (const Json& kernel : *listed) {
    if (kernel.is_object() && kernel.contains(".name") && kernel[".name"].is_string()) {
      kernels.push_back({readable_name(kernel[".name"].get<std::string>()), count_in(kernel, ".vgpr_count"),
                         count_in(kernel, ".sgpr_count"), count_in(kernel, ".vgpr_spill_count"),
                         count_in(kernel, ".group_segment_fixed_size"),
                         count_in(kernel, ".private_segment_fixed_size")});
    }
  }
}

void add_notes(std::string_view notes, std::vector<CompiledKernel>& kernels) {
  const auto aligned = [](uint64_t size) { return (size + 3) / 4 * 4; };
  uint64_t offset = 0;
  while (const auto note = at<Elf64_Nhdr>(notes, offset)) {
    offset += sizeof(Elf64_Nhdr) + aligned(note->n_namesz);
    if (note->n_type == kMetadataNote) {
      add_kernels(part(notes, offset, note->n_descsz), kernels);
    }
    offset += aligned(note->n_descsz);
  }
}

void add_code_object(std::string_view object, std::vector<CompiledKernel>& kernels) {
  const auto header = at<Elf64_Ehdr>(object, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
    return;
  }
  for (uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto section = at<Elf64_Shdr>(object, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (section && section->sh_type == SHT_NOTE) {
      add_notes(part(object, section->sh_offset, section->sh_size), kernels);
    }
  }
}

// A bundle is the magic, a count, and for each entry offset, size, length of its target's name, and the name.
void add_bundle(std::string_view bundle, std::string_view architecture, std::vector<CompiledKernel>& kernels) {
  struct Entry {
    uint64_t offset;
    uint64_t size;
    uint64_t name_size;
  };
  uint64_t offset = kBundle.size() + sizeof(uint64_t);
  const uint64_t count = std::min(kMostEntries, at<uint64_t>(bundle, kBundle.size()).value_or(0));
  for (uint64_t i = 0; i < count; ++i) {
    const auto entry = at<Entry>(bundle, offset);
    if (!entry) {
      return;
    }
    const std::string_view target = part(bundle, offset + sizeof(Entry), entry->name_size);
    offset += sizeof(Entry) + target.size();
    if (target.ends_with("-" + std::string(architecture))) {
      add_code_object(part(bundle, entry->offset, entry->size), kernels);
    }
  }
}

}  // namespace

std::vector<CompiledKernel> compiled_kernels(std::string_view module, std::string_view architecture) {
  std::vector<CompiledKernel> kernels;
  for (size_t found = module.find(kBundle); found != std::string_view::npos; found = module.find(kBundle, found + 1)) {
    add_bundle(module.substr(found), architecture, kernels);
  }
  return kernels;
}

Result<std::vector<CompiledKernel>> compiled_hip_kernels(std::string_view architecture) {
  const char* name = hip_vendor().file;
  for (const std::filesystem::path& folder : module_folders()) {
    const Result<std::string> bytes = read_file(folder / name);
    if (!bytes) {
      continue;
    }
    std::vector<CompiledKernel> kernels = compiled_kernels(*bytes, architecture);
    if (!kernels.empty()) {
      return kernels;
    }
    return Error{ErrorKind::kUnavailable, fmt::format("{} has no kernels for {}", name, architecture),
                 "build with AACO_ARCHITECTURES=all"};
  }
  return Error{ErrorKind::kUnavailable, fmt::format("{} is not beside the program", name), hip_vendor().how_to_build};
}

int64_t cdna_waves(const CompiledKernel& kernel) {
  constexpr int64_t kOfALane = 512;
  constexpr int64_t kStep = 8;
  constexpr int64_t kMost = 8;
  const int64_t taken = std::max(kStep, (kernel.vgprs + kStep - 1) / kStep * kStep);
  return std::min(kMost, kOfALane / taken);
}

}  // namespace aaco
