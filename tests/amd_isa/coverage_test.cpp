// SPDX-License-Identifier: MIT
// Every instruction of every code object in the HIP module has a handler and operands that are understood.
#include <cstring>
#include <elf.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <string_view>

#include "base/test_skip.h"
#include "decode.h"
#include "wave.h"

namespace aaco::amd {
namespace {

constexpr std::string_view kMagic = "__CLANG_OFFLOAD_BUNDLE__";

template <class T>
T at(std::string_view bytes, std::uint64_t place) {
  T value{};
  if (place + sizeof value <= bytes.size()) {
    std::memcpy(&value, bytes.data() + place, sizeof value);
  }
  return value;
}

std::string module_bytes() {
  std::ifstream file(HIP_MODULE, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The code objects of an architecture: a bundle has a list of offset, size, length of the name, name.
std::vector<std::string_view> code_objects(std::string_view module, std::string_view architecture) {
  std::vector<std::string_view> found;
  for (auto bundle = module.find(kMagic); bundle != std::string_view::npos; bundle = module.find(kMagic, bundle + 1)) {
    const auto count = at<std::uint64_t>(module, bundle + kMagic.size());
    std::uint64_t place = bundle + kMagic.size() + 8;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, 64) && place + 24 < module.size(); ++i) {
      const auto offset = at<std::uint64_t>(module, place);
      const auto size = at<std::uint64_t>(module, place + 8);
      const auto name = module.substr(place + 24, at<std::uint64_t>(module, place + 16));
      if (name.ends_with(architecture) && bundle + offset + size <= module.size()) {
        found.push_back(module.substr(bundle + offset, size));
      }
      place += 24 + name.size();
    }
  }
  return found;
}

struct Findings {
  std::size_t instructions = 0;
  std::set<std::string> problems;
  std::set<std::string> opcodes;
};

// All functions of a code object; behind the last instruction of one lie zeros or s_code_end.
void decode_functions(std::string_view object, Architecture architecture, Findings& result) {
  const Disassembler disassembler(architecture);
  const auto header = at<Elf64_Ehdr>(object, 0);
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto section = at<Elf64_Shdr>(object, header.e_shoff + i * sizeof(Elf64_Shdr));
    for (std::uint64_t place = 0; section.sh_type == SHT_DYNSYM && place < section.sh_size;
         place += sizeof(Elf64_Sym)) {
      const auto symbol = at<Elf64_Sym>(object, section.sh_offset + place);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) {
        continue;
      }
      const auto text = at<Elf64_Shdr>(object, header.e_shoff + symbol.st_shndx * sizeof(Elf64_Shdr));
      const std::string_view code = object.substr(text.sh_offset + symbol.st_value - text.sh_addr, symbol.st_size);
      const std::span<const std::byte> bytes{reinterpret_cast<const std::byte*>(code.data()), code.size()};
      for (std::uint64_t address = 0; address < bytes.size();) {
        const Disassembly one = disassembler.at(bytes.subspan(address));
        ASSERT_NE(one.bytes, 0U);
        try {
          decode(disassembler, architecture, bytes, address);
        } catch (const Fault& fault) {
          result.problems.insert(one.text + ": " + fault.what());
        }
        result.opcodes.insert(std::string(without_encoding(one.text.substr(0, one.text.find_first_of(" \t")))));
        address += one.bytes;
        ++result.instructions;
      }
    }
  }
}

class CoverageTest : public testing::TestWithParam<const char*> {};

TEST_P(CoverageTest, EveryInstructionOfTheModuleIsKnown) {
  const std::string module = module_bytes();
  if (module.empty()) {
    AACO_SKIP(std::string("no module ") + HIP_MODULE);
  }
  const std::vector<std::string_view> objects = code_objects(module, GetParam());
  ASSERT_FALSE(objects.empty());
  Findings result;
  for (const std::string_view object : objects) {
    decode_functions(object, *architecture_of(GetParam()), result);
  }
  EXPECT_THAT(result.problems, testing::IsEmpty());
  EXPECT_GT(result.instructions, 100000U);
  EXPECT_GT(result.opcodes.size(), 150U);
  RecordProperty("instructions", static_cast<int>(result.instructions));
  RecordProperty("opcodes", static_cast<int>(result.opcodes.size()));
  std::printf("%s: %zu instructions of %zu opcodes in %zu code objects\n", GetParam(), result.instructions,
              result.opcodes.size(), objects.size());
}

TEST_P(CoverageTest, AnUnknownOpcodeIsNamed) {
  const Architecture architecture = *architecture_of(GetParam());
  const Disassembler disassembler(architecture);
  // s_cmovk_i32 s0, 1: no kernel of ours has it.
  const std::uint32_t word = architecture == Architecture::kGfx942 ? 0xb080'0001U : 0xb100'0001U;
  std::vector<std::byte> bytes(4);
  std::memcpy(bytes.data(), &word, 4);
  try {
    decode(disassembler, architecture, bytes, 0);
    FAIL();
  } catch (const Fault& fault) {
    EXPECT_STREQ(fault.what(), "opcode s_cmovk_i32 has no handler");
  }
}

INSTANTIATE_TEST_SUITE_P(, CoverageTest, testing::Values("gfx942", "gfx1100"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace aaco::amd
