// SPDX-License-Identifier: MIT
#include "kind/training/lab/compiled_kernels.h"

#include <cstring>
#include <elf.h>
#include <gtest/gtest.h>

#include "base/json/json.h"

namespace aaco {
namespace {

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// A code object of a header, one section of notes, and in it one note with the metadata of two kernels.
std::string code_object() {
  const Json metadata = {{"amdhsa.kernels",
                          {{{".name", "_ZN4aaco4normEPf"},
                            {".vgpr_count", 130},
                            {".sgpr_count", 20},
                            {".vgpr_spill_count", 3},
                            {".group_segment_fixed_size", 1024},
                            {".private_segment_fixed_size", 16}},
                           {{".name", "plain"}, {".vgpr_count", "many"}}}}};
  const std::vector<uint8_t> packed = Json::to_msgpack(metadata);
  std::string notes;
  append(notes, Elf64_Nhdr{7, static_cast<Elf64_Word>(packed.size()), 32});
  notes += std::string("AMDGPU\0\0", 8);
  notes.append(packed.begin(), packed.end());
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_shoff = sizeof(Elf64_Ehdr);
  header.e_shnum = 1;
  Elf64_Shdr section{};
  section.sh_type = SHT_NOTE;
  section.sh_offset = sizeof(Elf64_Ehdr) + sizeof(Elf64_Shdr);
  section.sh_size = notes.size();
  std::string object;
  append(object, header);
  append(object, section);
  return object + notes;
}

// As clang writes them into a module: something before, and targets of which one is asked for.
std::string module_bytes() {
  const std::string object = code_object();
  const std::string target = "hipv4-amdgcn-amd-amdhsa--gfx942";
  const std::string other = "hipv4-amdgcn-amd-amdhsa--gfx1100";
  std::string bundle = "__CLANG_OFFLOAD_BUNDLE__";
  const uint64_t begin = bundle.size() + 8 + 2 * 24 + target.size() + other.size();
  append(bundle, uint64_t{2});
  for (const std::string& name : {other, target}) {
    append(bundle, name == target ? begin : uint64_t{0});
    append(bundle, name == target ? uint64_t{object.size()} : uint64_t{0});
    append(bundle, uint64_t{name.size()});
    bundle += name;
  }
  return "before" + bundle + object;
}

TEST(CompiledKernels, AreThoseOfTheArchitecture) {
  const auto kernels = compiled_kernels(module_bytes(), "gfx942");
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].name, "aaco::norm");
  EXPECT_EQ(kernels[0].vgprs, 130);
  EXPECT_EQ(kernels[0].sgprs, 20);
  EXPECT_EQ(kernels[0].spilled, 3);
  EXPECT_EQ(kernels[0].lds_bytes, 1024);
  EXPECT_EQ(kernels[0].scratch_bytes, 16);
  EXPECT_EQ(kernels[1].name, "plain");
  EXPECT_EQ(kernels[1].vgprs, 0);
  EXPECT_TRUE(compiled_kernels(module_bytes(), "gfx1100").empty());
  EXPECT_TRUE(compiled_kernels(module_bytes(), "gfx9").empty());
}

// No byte that is missing or changed is read behind the end.
TEST(CompiledKernels, DamagedModulesAreReadAsFarAsTheyGo) {
  const std::string whole = module_bytes();
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_LE(compiled_kernels(std::string_view(whole).substr(0, length), "gfx942").size(), 2U) << length;
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0xff);
    EXPECT_LE(compiled_kernels(changed, "gfx942").size(), 2U) << i;
  }
}

// 512 registers of a lane: 64 leave room for 8 waves, 65 (72) for 7, 130 (136) for 3, 257 (264) for 1.
TEST(CompiledKernels, WavesByRegisters) {
  for (const auto& [vgprs, waves] : std::initializer_list<std::pair<int64_t, int64_t>>{
           {0, 8}, {64, 8}, {65, 7}, {130, 3}, {256, 2}, {257, 1}, {512, 1}}) {
    EXPECT_EQ(cdna_waves({"", vgprs, 0, 0, 0, 0}), waves) << vgprs;
  }
}

}  // namespace
}  // namespace aaco
