// SPDX-License-Identifier: MIT
// Loads, stores, atomic operations and LDS.
#include <bit>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

#include "fixture/fragment.h"

namespace aaco::amd {
namespace {

using testing::HasSubstr;

constexpr Architecture kBoth[] = {Architecture::kGfx942, Architecture::kGfx1100};

bool is_rdna(Architecture architecture) { return architecture == Architecture::kGfx1100; }

// A fragment with 64 words of memory that s[2:3] and v[2:3] point to.
struct MemoryFragment : Fragment {
  explicit MemoryFragment(Architecture architecture) : Fragment(architecture) {
    std::iota(words.begin(), words.end(), 0x80f0'0000U);
    memory().add(words.data(), words.size() * 4);
    set("s[2:3]", reinterpret_cast<std::uint64_t>(words.data()));
    set("v[2:3]", reinterpret_cast<std::uint64_t>(words.data()));
    set("v4", 8);
    for (int i = 0; i < 4; ++i) {
      set("v" + std::to_string(10 + i), 100U + static_cast<std::uint64_t>(i));
    }
  }
  std::vector<std::uint32_t> words = std::vector<std::uint32_t>(64);
};

TEST(MemoryTest, LoadsOfEveryWidth) {
  struct Load {
    const char* cdna;
    const char* rdna;
    std::vector<std::uint64_t> expected;  // of v20 on
  };
  const Load loads[] = {
      {"global_load_dword v20, v[2:3], off offset:4", "global_load_b32 v20, v[2:3], off offset:4", {0x80f00001}},
      {"global_load_dword v20, v4, s[2:3]", "global_load_b32 v20, v4, s[2:3]", {0x80f00002}},
      {"global_load_dwordx2 v[20:21], v4, s[2:3]", "global_load_b64 v[20:21], v4, s[2:3]", {0x80f00002, 0x80f00003}},
      {"global_load_dwordx3 v[20:22], v4, s[2:3]",
       "global_load_b96 v[20:22], v4, s[2:3]",
       {0x80f00002, 0x80f00003, 0x80f00004}},
      {"global_load_dwordx4 v[20:23], v4, s[2:3] offset:-8",
       "global_load_b128 v[20:23], v4, s[2:3] offset:-8",
       {0x80f00000, 0x80f00001, 0x80f00002, 0x80f00003}},
      {"global_load_ubyte v20, v4, s[2:3] offset:2", "global_load_u8 v20, v4, s[2:3] offset:2", {0xf0}},
      {"global_load_sbyte v20, v4, s[2:3] offset:2", "global_load_i8 v20, v4, s[2:3] offset:2", {0xfffffff0}},
      {"global_load_ushort v20, v4, s[2:3] offset:2", "global_load_u16 v20, v4, s[2:3] offset:2", {0x80f0}},
      {"global_load_sshort v20, v4, s[2:3] offset:2", "global_load_i16 v20, v4, s[2:3] offset:2", {0xffff80f0}},
      {"global_load_short_d16 v20, v4, s[2:3]", "global_load_d16_b16 v20, v4, s[2:3]", {0x77770002}},
      {"global_load_short_d16_hi v20, v4, s[2:3]", "global_load_d16_hi_b16 v20, v4, s[2:3]", {0x27777}},
      {"flat_load_dword v20, v[2:3]", "flat_load_b32 v20, v[2:3]", {0x80f00000}},
  };
  for (const Architecture architecture : kBoth) {
    for (const Load& load : loads) {
      MemoryFragment fragment(architecture);
      fragment.set("v20", 0x77777777);
      const char* text = is_rdna(architecture) ? load.rdna : load.cdna;
      ASSERT_EQ(fragment.run(text), "");
      for (std::size_t i = 0; i < load.expected.size(); ++i) {
        EXPECT_EQ(fragment.get("v" + std::to_string(20 + i), 3), load.expected[i]) << text;
      }
    }
    MemoryFragment fragment(architecture);
    ASSERT_EQ(
        fragment.run(is_rdna(architecture) ? "s_load_b64 s[8:9], s[2:3], 0x8" : "s_load_dwordx2 s[8:9], s[2:3], 0x8"),
        "");
    EXPECT_EQ(fragment.get("s[8:9]"), 0x80f0000380f00002U);
  }
}

TEST(MemoryTest, StoresOfEveryWidth) {
  struct Store {
    const char* cdna;
    const char* rdna;
    std::vector<std::uint32_t> expected;  // words from 2 on
  };
  const Store stores[] = {
      {"global_store_dword v4, v10, s[2:3]", "global_store_b32 v4, v10, s[2:3]", {100, 0x80f00003}},
      {"global_store_dwordx2 v4, v[10:11], s[2:3]", "global_store_b64 v4, v[10:11], s[2:3]", {100, 101, 0x80f00004}},
      {"global_store_dwordx3 v4, v[10:12], s[2:3]",
       "global_store_b96 v4, v[10:12], s[2:3]",
       {100, 101, 102, 0x80f00005}},
      {"global_store_dwordx4 v4, v[10:13], s[2:3]", "global_store_b128 v4, v[10:13], s[2:3]", {100, 101, 102, 103}},
      {"global_store_byte v4, v10, s[2:3] offset:1", "global_store_b8 v4, v10, s[2:3] offset:1", {0x80f06402}},
      {"global_store_short v4, v10, s[2:3] offset:2", "global_store_b16 v4, v10, s[2:3] offset:2", {0x00640002}},
      {"flat_store_dword v[2:3], v10 offset:8", "flat_store_b32 v[2:3], v10 offset:8", {100, 0x80f00003}},
  };
  for (const Architecture architecture : kBoth) {
    for (const Store& store : stores) {
      MemoryFragment fragment(architecture);
      const char* text = is_rdna(architecture) ? store.rdna : store.cdna;
      ASSERT_EQ(fragment.run(text), "");
      for (std::size_t i = 0; i < store.expected.size(); ++i) {
        EXPECT_EQ(fragment.words[2 + i], store.expected[i]) << text;
      }
    }
  }
}

TEST(MemoryTest, ScratchIsALanesOwn) {
  for (const Architecture architecture : kBoth) {
    Fragment fragment(architecture);
    for (int lane = 0; lane < fragment.wave().lanes(); ++lane) {
      fragment.wave().registers(1)[lane] = static_cast<std::uint32_t>(lane);
    }
    const bool rdna = is_rdna(architecture);
    ASSERT_EQ(
        fragment.run(rdna ? "scratch_store_b32 off, v1, off offset:16\nscratch_load_b32 v2, off, off offset:16"
                          : "scratch_store_dword off, v1, off offset:16\nscratch_load_dword v2, off, off offset:16"),
        "");
    EXPECT_EQ(fragment.get("v2", 9), 9U);
    EXPECT_THAT(fragment.run(rdna ? "scratch_load_b64 v[2:3], off, off offset:252"
                                  : "scratch_load_dwordx2 v[2:3], off, off offset:252"),
                HasSubstr("8 bytes at 252 of scratch, of which a lane has 256"));
  }
}

TEST(MemoryTest, AtomicOperations) {
  struct Atomic {
    const char* cdna;
    const char* rdna;
    std::uint64_t before;
    std::uint64_t after;  // of memory, from one lane with v[10:11] = 100, 101 and v12 = 7
  };
  const Atomic atomics[] = {
      {"global_atomic_add v20, v4, v10, s[2:3] sc0", "global_atomic_add_u32 v20, v4, v10, s[2:3] glc", 7, 107},
      {"global_atomic_sub v20, v4, v10, s[2:3] sc0", "global_atomic_sub_u32 v20, v4, v10, s[2:3] glc", 107, 7},
      {"global_atomic_umax v20, v4, v10, s[2:3] sc0", "global_atomic_max_u32 v20, v4, v10, s[2:3] glc", 7, 100},
      {"global_atomic_umin v20, v4, v10, s[2:3] sc0", "global_atomic_min_u32 v20, v4, v10, s[2:3] glc", 7, 7},
      {"global_atomic_smax v20, v4, v10, s[2:3] sc0", "global_atomic_max_i32 v20, v4, v10, s[2:3] glc", 0xffffffff,
       100},
      {"global_atomic_and v20, v4, v10, s[2:3] sc0", "global_atomic_and_b32 v20, v4, v10, s[2:3] glc", 0x66, 0x64},
      {"global_atomic_or v20, v4, v10, s[2:3] sc0", "global_atomic_or_b32 v20, v4, v10, s[2:3] glc", 3, 0x67},
      {"global_atomic_xor v20, v4, v10, s[2:3] sc0", "global_atomic_xor_b32 v20, v4, v10, s[2:3] glc", 100, 0},
      {"global_atomic_swap v20, v4, v10, s[2:3] sc0", "global_atomic_swap_b32 v20, v4, v10, s[2:3] glc", 3, 100},
      {"global_atomic_cmpswap v20, v4, v[10:11], s[2:3] sc0", "global_atomic_cmpswap_b32 v20, v4, v[10:11], s[2:3] glc",
       101, 100},
      {"global_atomic_cmpswap v20, v4, v[10:11], s[2:3] sc0", "global_atomic_cmpswap_b32 v20, v4, v[10:11], s[2:3] glc",
       99, 99},
  };
  for (const Architecture architecture : kBoth) {
    for (const Atomic& atomic : atomics) {
      MemoryFragment fragment(architecture);
      fragment.words[2] = static_cast<std::uint32_t>(atomic.before);
      fragment.set("exec", 1);
      const char* text = is_rdna(architecture) ? atomic.rdna : atomic.cdna;
      ASSERT_EQ(fragment.run(text), "");
      EXPECT_EQ(fragment.words[2], atomic.after) << text;
      EXPECT_EQ(fragment.get("v20"), atomic.before) << text;
    }
    // All lanes, no result, fp32; and 64 bits.
    MemoryFragment fragment(architecture);
    fragment.words[2] = std::bit_cast<std::uint32_t>(0.5F);
    fragment.words[4] = 0xffffffff;
    fragment.words[5] = 1;
    fragment.set("v10", std::bit_cast<std::uint32_t>(1.0F));
    fragment.set("v[12:13]", 1);
    const bool rdna = is_rdna(architecture);
    ASSERT_EQ(fragment.run("global_atomic_add_f32 v4, v10, s[2:3]"), "");
    EXPECT_EQ(std::bit_cast<float>(fragment.words[2]), 0.5F + static_cast<float>(fragment.wave().lanes()));
    fragment.set("exec", 1);
    ASSERT_EQ(fragment.run(rdna ? "global_atomic_add_u64 v4, v[12:13], s[2:3] offset:8"
                                : "global_atomic_add_x2 v4, v[12:13], s[2:3] offset:8"),
              "");
    EXPECT_EQ(fragment.words[4], 0U);
    EXPECT_EQ(fragment.words[5], 2U);
    EXPECT_THAT(fragment.run(rdna ? "global_atomic_add_u32 v4, v10, s[2:3] offset:2"
                                  : "global_atomic_add v4, v10, s[2:3] offset:2"),
                HasSubstr("not a multiple of 4"));
  }
}

TEST(LdsTest, LoadsStoresAndExchanges) {
  struct Lds {
    const char* cdna;
    const char* rdna;
    std::vector<std::uint64_t> expected;  // v20 on; v10 to v13 are 100 to 103, v4 is 8
  };
  const Lds cases[] = {
      {"ds_write_b32 v4, v10 offset:4\nds_read_b32 v20, v4 offset:4",
       "ds_store_b32 v4, v10 offset:4\nds_load_b32 v20, v4 offset:4",
       {100}},
      {"ds_write_b128 v4, v[10:13]\nds_read_b128 v[20:23], v4",
       "ds_store_b128 v4, v[10:13]\nds_load_b128 v[20:23], v4",
       {100, 101, 102, 103}},
      {"ds_write_b96 v4, v[10:12]\nds_read_b96 v[20:22], v4",
       "ds_store_b96 v4, v[10:12]\nds_load_b96 v[20:22], v4",
       {100, 101, 102}},
      {"ds_write_b64 v4, v[10:11]\nds_read_u16 v20, v4 offset:4",
       "ds_store_b64 v4, v[10:11]\nds_load_u16 v20, v4 offset:4",
       {101}},
      {"ds_write_b16 v4, v10\nds_read_i8 v20, v4", "ds_store_b16 v4, v10\nds_load_i8 v20, v4", {100}},
      {"ds_write_b8 v4, v10\nds_read_u8 v20, v4", "ds_store_b8 v4, v10\nds_load_u8 v20, v4", {100}},
      {"ds_write2_b32 v4, v10, v11 offset0:1 offset1:3\nds_read2_b32 v[20:21], v4 offset0:3 offset1:1",
       "ds_store_2addr_b32 v4, v10, v11 offset0:1 offset1:3\nds_load_2addr_b32 v[20:21], v4 offset0:3 offset1:1",
       {101, 100}},
      {"ds_write2_b64 v4, v[10:11], v[12:13] offset1:1\nds_read2_b64 v[20:23], v4 offset1:1",
       "ds_store_2addr_b64 v4, v[10:11], v[12:13] offset1:1\nds_load_2addr_b64 v[20:23], v4 offset1:1",
       {100, 101, 102, 103}},
      {"ds_write2st64_b32 v4, v10, v11 offset0:1 offset1:2\nds_read_b32 v20, v4 offset:512",
       "ds_store_2addr_stride64_b32 v4, v10, v11 offset0:1 offset1:2\nds_load_b32 v20, v4 offset:512",
       {101}},
  };
  for (const Architecture architecture : kBoth) {
    for (const Lds& one : cases) {
      MemoryFragment fragment(architecture);
      const char* text = is_rdna(architecture) ? one.rdna : one.cdna;
      ASSERT_EQ(fragment.run(text), "");
      for (std::size_t i = 0; i < one.expected.size(); ++i) {
        EXPECT_EQ(fragment.get("v" + std::to_string(20 + i), 5), one.expected[i]) << text;
      }
    }
    MemoryFragment fragment(architecture);
    for (int lane = 0; lane < fragment.wave().lanes(); ++lane) {
      fragment.wave().registers(5)[lane] = static_cast<std::uint32_t>(4 * (lane ^ 1));
      fragment.wave().registers(6)[lane] = static_cast<std::uint32_t>(1000 + lane);
    }
    ASSERT_EQ(fragment.run("ds_bpermute_b32 v7, v5, v6\nds_permute_b32 v8, v5, v6"), "");
    EXPECT_EQ(fragment.get("v7", 4), 1005U);
    EXPECT_EQ(fragment.get("v8", 5), 1004U);
    ASSERT_EQ(fragment.run("ds_add_rtn_u32 v9, v4, v10"), "");
    const auto lanes = static_cast<std::uint32_t>(fragment.wave().lanes());
    EXPECT_EQ(fragment.get("v9", 3), 300U);
    std::uint32_t sum = 0;
    std::memcpy(&sum, fragment.group().lds.data() + 8, 4);
    EXPECT_EQ(sum, 100 * lanes);
    EXPECT_THAT(
        fragment.run(is_rdna(architecture) ? "ds_load_b32 v1, v4 offset:4090" : "ds_read_b32 v1, v4 offset:4090"),
        HasSubstr("read of 4 bytes at 4098 of LDS, of which there are 4096"));
  }
}

}  // namespace
}  // namespace aaco::amd
