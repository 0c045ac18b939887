// SPDX-License-Identifier: MIT
// What is said of instructions that are wrong: a missing wait, registers that are not there, what cannot be decoded.
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "fixture/assembler.h"
#include "machine.h"

namespace aaco::amd {
namespace {

using testing::HasSubstr;

constexpr Architecture kBoth[] = {Architecture::kGfx942, Architecture::kGfx1100};

bool is_rdna(Architecture architecture) { return architecture == Architecture::kGfx1100; }

// What run_kernel says of these instructions as a kernel of one wave, with `words` as argument.
std::string run_text(Architecture architecture, const std::string& text, std::vector<std::uint32_t>& words) {
  std::string problem;
  std::vector<std::byte> code = assemble(architecture, text + "\ns_endpgm", problem);
  EXPECT_EQ(problem, "");
  KernelCode kernel;
  kernel.architecture = is_rdna(architecture) ? "gfx1100" : "gfx942";
  kernel.name = "text";
  kernel.image = code;
  kernel.lds_bytes = 1024;
  kernel.rsrc1 = (0xf0U << 12U) | 3U;  // 32 registers, of which 24 are not for accumulation
  kernel.rsrc3 = 5;
  kernel.rsrc2 = 2U << 1U;
  kernel.properties = is_rdna(architecture) ? 0x408 : 8;
  Memory memory;
  memory.add(words.data(), words.size() * 4);
  const auto address = reinterpret_cast<std::uint64_t>(words.data());
  std::vector<std::byte> arguments(8);
  std::memcpy(arguments.data(), &address, 8);
  Geometry geometry;
  geometry.block = {32, 1, 1};
  return run_kernel(kernel, geometry, arguments, memory).error;
}

TEST(WaitTest, ARegisterThatIsReadBeforeItsWaitIsAnError) {
  for (const Architecture architecture : kBoth) {
    std::vector<std::uint32_t> words(64);
    const bool rdna = is_rdna(architecture);
    const std::string pointer = rdna ? "s_load_b64 s[2:3], s[0:1], 0x0\n" : "s_load_dwordx2 s[2:3], s[0:1], 0x0\n";
    const std::string zero = "v_mov_b32 v9, 0\n";
    const std::string load = rdna ? "global_load_b32 v1, v9, s[2:3]\n" : "global_load_dword v1, v9, s[2:3]\n";
    const std::string load2 =
        rdna ? "global_load_b32 v2, v9, s[2:3] offset:4\n" : "global_load_dword v2, v9, s[2:3] offset:4\n";
    const std::string lgkm = "s_waitcnt lgkmcnt(0)\n";
    const std::string read = "v_add_f32 v5, v1, v1\n";
    const std::string right = pointer + zero + lgkm + load + load2;
    EXPECT_EQ(run_text(architecture, right + "s_waitcnt vmcnt(0)\n" + read, words), "");
    EXPECT_EQ(run_text(architecture, right + "s_waitcnt vmcnt(1)\n" + read, words), "");  // they come in order
    EXPECT_THAT(run_text(architecture, right + read, words),
                HasSubstr("missing wait: v1 is read while a load into it"));
    EXPECT_THAT(run_text(architecture, right + "s_waitcnt vmcnt(2)\n" + read, words), HasSubstr("missing wait: v1"));
    EXPECT_THAT(run_text(architecture, right + "s_waitcnt vmcnt(1)\nv_mov_b32 v2, 0", words),
                HasSubstr("missing wait: v2 is written while a load into it"));
    EXPECT_THAT(run_text(architecture, pointer + zero + load, words), HasSubstr("missing wait: s2 is read"));
    EXPECT_THAT(run_text(architecture, pointer + zero + "s_waitcnt lgkmcnt(1)\n" + load, words),
                HasSubstr("missing wait: s2 is read"));
    const std::string lds = rdna ? "ds_load_b32 v1, v9\n" : "ds_read_b32 v1, v9\n";
    EXPECT_THAT(run_text(architecture, zero + lds + read, words), HasSubstr("missing wait: v1 is read"));
    EXPECT_EQ(run_text(architecture, zero + lds + lgkm + read, words), "");
    const std::string store = rdna ? "ds_store_b32 v9, v9\n" : "ds_write_b32 v9, v9\n";
    EXPECT_THAT(run_text(architecture, zero + store + "s_barrier", words), HasSubstr("barrier while a write to LDS"));
    EXPECT_EQ(run_text(architecture, zero + store + lgkm + "s_barrier", words), "");
  }
}

TEST(WaitTest, ErrorsNameKernelPlaceAndInstruction) {
  std::vector<std::uint32_t> words(64);
  EXPECT_EQ(
      run_text(Architecture::kGfx942, "v_mov_b32 v9, 0\nds_read_b32 v1, v9\nv_add_f32 v5, v1, v1", words),
      "kernel text (gfx942) at 0xc: v_add_f32_e32 v5, v1, v1: missing wait: v1 is read while a load into it is under "
      "way (block 0)");
  EXPECT_THAT(run_text(Architecture::kGfx942, "v_mov_b32 v24, 0", words),
              HasSubstr("v24 of 24 registers that the descriptor"));
  EXPECT_THAT(run_text(Architecture::kGfx942, "v_accvgpr_write_b32 a8, 0", words), HasSubstr("a8 of 8 registers"));
  EXPECT_THAT(run_text(Architecture::kGfx1100, "v_mov_b32 v32, 0", words), HasSubstr("v32 of 32 registers"));
  EXPECT_THAT(run_text(Architecture::kGfx1100, "s_trap 2", words), HasSubstr("the kernel traps"));
  EXPECT_THAT(run_text(Architecture::kGfx942, "s_cmovk_i32 s0, 1", words),
              HasSubstr("opcode s_cmovk_i32 has no handler"));
}

}  // namespace
}  // namespace aaco::amd
