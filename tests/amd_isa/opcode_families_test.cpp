// SPDX-License-Identifier: MIT
// Opcodes that come in families: each comparison for each type, each atomic operation and each width of loads and
// stores in each space. What they give is worked out here from AMD's documents, not by the interpreter's functions.
#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <numeric>

#include "fixture/fragment.h"

namespace aaco::amd {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr Architecture kBoth[] = {Architecture::kGfx942, Architecture::kGfx1100};

bool is_rdna(Architecture architecture) { return architecture == Architecture::kGfx1100; }

// Of 32 bits v0, of 64 v[0:1].
std::string vector(int first, int words) {
  return words == 1 ? "v" + std::to_string(first)
                    : "v[" + std::to_string(first) + ":" + std::to_string(first + words - 1) + "]";
}

// Which of four outcomes a comparison holds for: less, equal, greater, unordered.
struct Comparison {
  const char* name;
  const char* holds;
};

struct ComparedType {
  const char* name;
  int words;
  U64 less;
  U64 greater;
  U64 unordered;  // 0: it has none
};

const ComparedType kTypes[] = {
    {"f16", 1, 0xbc00, 0x4000, 0x7e00},
    {"f32", 1, 0xbf80'0000, 0x4000'0000, 0x7fc0'0000},
    {"f64", 2, 0xbff0'0000'0000'0000, 0x4000'0000'0000'0000, 0x7ff8'0000'0000'0000},
    {"i16", 1, 0xffff, 1, 0},
    {"u16", 1, 1, 0xffff, 0},
    {"i32", 1, 0xffff'ffff, 1, 0},
    {"u32", 1, 1, 0xffff'ffff, 0},
    {"i64", 2, ~U64{0}, 1, 0},
    {"u64", 2, 1, ~U64{0}, 0},
};

const std::vector<Comparison>& comparisons_of(const ComparedType& type) {
  static const std::vector<Comparison> kInteger = {{"lt", "1000"}, {"eq", "0100"}, {"le", "1100"},
                                                   {"gt", "0010"}, {"ne", "1010"}, {"ge", "0110"}};
  static const std::vector<Comparison> kFloat = {{"lt", "1000"},  {"eq", "0100"},  {"le", "1100"},  {"gt", "0010"},
                                                 {"lg", "1010"},  {"ge", "0110"},  {"o", "1110"},   {"u", "0001"},
                                                 {"nge", "1001"}, {"nlg", "0101"}, {"ngt", "1101"}, {"nle", "0011"},
                                                 {"neq", "1011"}, {"nlt", "0111"}};
  return type.unordered == 0 ? kInteger : kFloat;
}

void expect_compared(Architecture architecture, const std::string& name, int words_a, int words_b, U64 a, U64 b,
                     bool holds) {
  const std::string operands = vector(0, words_a) + ", " + vector(4, words_b);
  const std::string vcc = is_rdna(architecture) ? "vcc_lo, " : "vcc, ";
  const bool names_vcc = !is_rdna(architecture);  // v_cmpx writes it too there
  for (const bool writes_exec : {false, true}) {
    Fragment fragment(architecture);
    fragment.set(vector(0, words_a), a);
    fragment.set(vector(4, words_b), b);
    const U64 all = fragment.wave().all_lanes();
    const std::string text =
        (writes_exec ? "v_cmpx_" : "v_cmp_") + name + "_e32 " + (writes_exec && !names_vcc ? "" : vcc) + operands;
    ASSERT_EQ(fragment.run(text), "") << text;
    const U64 wanted = holds ? all : 0;
    EXPECT_EQ((writes_exec ? fragment.wave().exec() : fragment.wave().lane_mask(kVcc)) & all, wanted)
        << text << " of " << a << " and " << b;
  }
}

TEST(OpcodeFamilies, ComparisonsOfEveryType) {
  for (const Architecture architecture : kBoth) {
    for (const ComparedType& type : kTypes) {
      const std::pair<U64, U64> operands[] = {
          {type.less, type.greater}, {type.less, type.less}, {type.greater, type.less}, {type.less, type.unordered}};
      for (const Comparison& comparison : comparisons_of(type)) {
        for (std::size_t outcome = 0; outcome < (type.unordered == 0 ? 3U : 4U); ++outcome) {
          expect_compared(architecture, std::string(comparison.name) + "_" + type.name, type.words, type.words,
                          operands[outcome].first, operands[outcome].second, comparison.holds[outcome] == '1');
        }
      }
    }
    constexpr U64 kNegative = 8;
    constexpr U64 kPositive = 0x100;
    for (const auto& [mask, holds] : {std::pair(kNegative, true), {kPositive, false}}) {
      expect_compared(architecture, "class_f32", 1, 1, 0xbf80'0000, mask, holds);
      expect_compared(architecture, "class_f64", 2, 1, 0xbff0'0000'0000'0000, mask, holds);
    }
  }
}

TEST(OpcodeFamilies, ScalarComparisons) {
  struct ScalarComparison {
    const char* name;
    const char* holds;  // of less, equal, greater
  };
  constexpr ScalarComparison kComparisons[] = {{"eq", "010"}, {"lg", "101"}, {"gt", "001"},
                                               {"ge", "011"}, {"lt", "100"}, {"le", "110"}};
  for (const Architecture architecture : kBoth) {
    for (const ScalarComparison& comparison : kComparisons) {
      for (const bool is_signed : {true, false}) {
        const std::string name = std::string(comparison.name) + (is_signed ? "_i32" : "_u32");
        const U64 less = is_signed ? 0xffff'ffff : 1;
        const U64 greater = is_signed ? 1 : 0xffff'ffff;
        const std::pair<U64, U64> operands[] = {{less, greater}, {less, less}, {greater, less}};
        for (std::size_t outcome = 0; outcome < 3; ++outcome) {
          Fragment fragment(architecture);
          fragment.set("s1", operands[outcome].first);
          fragment.set("s2", operands[outcome].second);
          ASSERT_EQ(fragment.run("s_cmp_" + name + " s1, s2"), "");
          EXPECT_EQ(fragment.get("scc") == 1, comparison.holds[outcome] == '1') << name << " " << outcome;
        }
        // Against a constant of 16 bits, extended by its sign or by zeros.
        const std::pair<U64, const char*> constants[] = {
            {is_signed ? 0xffff'fffe : 1, is_signed ? "0xffff" : "0xfffe"}, {7, "7"}, {9, "7"}};
        for (std::size_t outcome = 0; outcome < 3; ++outcome) {
          Fragment fragment(architecture);
          fragment.set("s1", constants[outcome].first);
          ASSERT_EQ(fragment.run("s_cmpk_" + name + " s1, " + constants[outcome].second), "");
          EXPECT_EQ(fragment.get("scc") == 1, comparison.holds[outcome] == '1') << name << " constant " << outcome;
        }
      }
    }
  }
}

// With 64 words of memory at v[2:3] and as many in LDS at v4; data in v[10:13], results in v20 on. One lane is active.
struct AtomicFragment : Fragment {
  AtomicFragment(Architecture architecture, U64 before, U64 data, U64 compared, int words) : Fragment(architecture) {
    memory().add(place.data(), place.size() * 4);
    set("v[2:3]", reinterpret_cast<U64>(place.data()));
    set("v4", 16);
    set("exec", 1);
    set(vector(10, words), data);
    set(vector(10 + words, words), compared);
    std::memcpy(place.data(), &before, sizeof before);
    std::memcpy(group().lds.data() + 16, &before, sizeof before);
  }
  U64 memory_word(int words) const { return cut(place.data(), words); }
  U64 lds_word(int words) { return cut(group().lds.data() + 16, words); }
  static U64 cut(const void* from, int words) {
    U64 value = 0;
    std::memcpy(&value, from, static_cast<std::size_t>(words) * 4);
    return value;
  }
  std::vector<U32> place = std::vector<U32>(64);
};

struct AtomicOperation {
  const char* cdna;  // behind global_atomic_ and flat_atomic_; with _x2 for 64 bits
  const char* both;  // behind ds_, and on gfx1100 behind global_atomic_; with 32 or 64
  std::function<U64(U64 memory, U64 data)> result;
};

// Memory holds -16, the data are 7.
constexpr U64 kMemory = ~U64{15};
constexpr U64 kData = 7;
const AtomicOperation kOperations[] = {
    {"add", "add_u", [](U64 m, U64 d) { return m + d; }},   {"sub", "sub_u", [](U64 m, U64 d) { return m - d; }},
    {"umin", "min_u", [](U64, U64 d) { return d; }},        {"umax", "max_u", [](U64 m, U64) { return m; }},
    {"smin", "min_i", [](U64 m, U64) { return m; }},        {"smax", "max_i", [](U64, U64 d) { return d; }},
    {"and", "and_b", [](U64 m, U64 d) { return m & d; }},   {"or", "or_b", [](U64 m, U64 d) { return m | d; }},
    {"xor", "xor_b", [](U64 m, U64 d) { return m ^ d; }},   {"swap", "swap_b", [](U64, U64 d) { return d; }},
    {"cmpswap", "cmpswap_b", [](U64, U64 d) { return d; }},  // with what memory holds as comparand
};

TEST(OpcodeFamilies, AtomicOperationsInEverySpace) {
  for (const Architecture architecture : kBoth) {
    const bool rdna = is_rdna(architecture);
    for (const AtomicOperation& operation : kOperations) {
      for (const int words : {1, 2}) {
        const U64 mask = words == 1 ? 0xffff'ffff : ~U64{0};
        const U64 wanted = operation.result(kMemory & mask, kData) & mask;
        const bool compares = std::string_view(operation.cdna) == "cmpswap";
        const bool swaps = std::string_view(operation.cdna) == "swap";
        const std::string bits = std::to_string(words * 32);
        const std::string name = rdna ? operation.both + bits : std::string(operation.cdna) + (words == 2 ? "_x2" : "");
        const std::string data = vector(10, compares ? 2 * words : words);
        for (const bool flat : {false, true}) {
          for (const bool returns : {false, true}) {
            AtomicFragment fragment(architecture, kMemory, kData, kMemory, words);
            const std::string text = std::string(flat ? "flat_atomic_" : "global_atomic_") + name + " " +
                                     (returns ? vector(20, words) + ", " : "") + "v[2:3], " + data +
                                     (flat ? "" : ", off") + (returns ? rdna ? " glc" : " sc0" : "");
            ASSERT_EQ(fragment.run(text), "") << text;
            EXPECT_EQ(fragment.memory_word(words), wanted) << text;
            EXPECT_EQ(fragment.get(vector(20, words)) & mask, returns ? kMemory & mask : 0) << text;
          }
        }
        for (const bool returns : {false, true}) {
          if (compares || (swaps && !returns)) {  // LDS has no such handler: no kernel of ours uses one
            continue;
          }
          AtomicFragment fragment(architecture, kMemory, kData, kMemory, words);
          std::string on_lds = operation.both + bits;
          if (returns) {
            on_lds.insert(on_lds.rfind('_'), "_rtn");
          }
          on_lds = swaps ? (rdna ? "storexchg_rtn_b" : "wrxchg_rtn_b") + bits : on_lds;
          const std::string text = "ds_" + on_lds + " " + (returns ? vector(20, words) + ", " : "") + "v4, " + data;
          ASSERT_EQ(fragment.run(text), "") << text;
          EXPECT_EQ(fragment.lds_word(words), wanted) << text;
          EXPECT_EQ(fragment.get(vector(20, words)) & mask, returns ? kMemory & mask : 0) << text;
        }
      }
    }
  }
}

TEST(OpcodeFamilies, AtomicSumsOfFloats) {
  const auto check = [](Architecture architecture, const std::string& type, int words, U64 before, U64 data, U64 sum) {
    const std::string sc0 = is_rdna(architecture) ? " glc" : " sc0";
    const std::string from = "v[2:3], " + vector(10, words);
    const std::string to = vector(20, words) + ", ";
    for (const std::string& text :
         {"global_atomic_add_" + type + " " + from + ", off",
          "global_atomic_add_" + type + " " + to + from + ", off" + sc0, "flat_atomic_add_" + type + " " + from,
          "flat_atomic_add_" + type + " " + to + from + sc0}) {
      AtomicFragment fragment(architecture, before, data, 0, words);
      ASSERT_EQ(fragment.run(text), "") << text;
      EXPECT_EQ(fragment.memory_word(words), sum) << text;
    }
    for (const std::string& text : {"ds_add_" + type + " v4, " + vector(10, words),
                                    "ds_add_rtn_" + type + " " + to + "v4, " + vector(10, words)}) {
      AtomicFragment fragment(architecture, before, data, 0, words);
      ASSERT_EQ(fragment.run(text), "") << text;
      EXPECT_EQ(fragment.lds_word(words), sum) << text;
    }
  };
  for (const Architecture architecture : kBoth) {
    check(architecture, "f32", 1, std::bit_cast<U32>(1.5F), std::bit_cast<U32>(2.25F), std::bit_cast<U32>(3.75F));
  }
  check(Architecture::kGfx942, "f64", 2, std::bit_cast<U64>(1.5), std::bit_cast<U64>(2.25), std::bit_cast<U64>(3.75));
}

// The bytes 02 00 f0 80 lie at 8, those of the next word at 12.
constexpr U32 kFirstWord = 0x80f0'0000;
constexpr U32 kRegister = 0x7777'7777;  // what stays where a load writes one half

struct LoadWidth {
  const char* cdna;
  const char* rdna;
  int offset;
  std::vector<U32> expected;  // of v20 on
};

const LoadWidth kLoads[] = {
    {"ubyte", "u8", 10, {0xf0}},
    {"sbyte", "i8", 10, {0xffff'fff0}},
    {"ushort", "u16", 10, {0x80f0}},
    {"sshort", "i16", 10, {0xffff'80f0}},
    {"dword", "b32", 8, {0x80f0'0002}},
    {"dwordx2", "b64", 8, {0x80f0'0002, 0x80f0'0003}},
    {"dwordx3", "b96", 8, {0x80f0'0002, 0x80f0'0003, 0x80f0'0004}},
    {"dwordx4", "b128", 8, {0x80f0'0002, 0x80f0'0003, 0x80f0'0004, 0x80f0'0005}},
    {"short_d16", "d16_b16", 10, {0x7777'80f0}},
    {"short_d16_hi", "d16_hi_b16", 10, {0x80f0'7777}},
    {"ubyte_d16", "d16_u8", 10, {0x7777'00f0}},
    {"ubyte_d16_hi", "d16_hi_u8", 10, {0x00f0'7777}},
    {"sbyte_d16", "d16_i8", 10, {0x7777'fff0}},
    {"sbyte_d16_hi", "d16_hi_i8", 10, {0xfff0'7777}},
};

struct StoreWidth {
  const char* cdna;
  const char* rdna;
  int offset;
  std::vector<U32> expected;  // of the words at 8 on
};

// v[10:13] hold 0x11223344 and three more.
const StoreWidth kStores[] = {
    {"byte", "b8", 10, {0x8044'0002}},
    {"short", "b16", 10, {0x3344'0002}},
    {"dword", "b32", 8, {0x1122'3344, 0x80f0'0003}},
    {"dwordx2", "b64", 8, {0x1122'3344, 0x1122'3345, 0x80f0'0004}},
    {"dwordx3", "b96", 8, {0x1122'3344, 0x1122'3345, 0x1122'3346, 0x80f0'0005}},
    {"dwordx4", "b128", 8, {0x1122'3344, 0x1122'3345, 0x1122'3346, 0x1122'3347}},
    {"byte_d16_hi", "d16_hi_b8", 10, {0x8022'0002}},
    {"short_d16_hi", "d16_hi_b16", 10, {0x1122'0002}},
};

struct SpaceFragment : Fragment {
  explicit SpaceFragment(Architecture architecture) : Fragment(architecture) {
    memory().add(words.data(), words.size() * 4);
    set("v[2:3]", reinterpret_cast<U64>(words.data()));
    set("v4", 0);
    for (int i = 0; i < 4; ++i) {
      set(vector(10 + i, 1), 0x1122'3344U + static_cast<U64>(i));
      set(vector(20 + i, 1), kRegister);
    }
    std::iota(words.begin(), words.end(), kFirstWord);
    for (int lane = 0; lane < kMaxLanes; ++lane) {
      std::memcpy(wave().scratch.data() + lane * 256, words.data(), 256);
    }
    std::memcpy(group().lds.data(), words.data(), 256);
  }
  U32 word(const std::string& space, std::size_t index) {
    U32 value = 0;
    const std::byte* from = space == "scratch" ? wave().scratch.data()
                            : space == "ds"    ? group().lds.data()
                                               : reinterpret_cast<const std::byte*>(words.data());
    std::memcpy(&value, from + index * 4, 4);
    return value;
  }
  std::vector<U32> words = std::vector<U32>(64);
};

std::string at(const std::string& space, int offset) {
  const bool has_base = space == "global" || space == "scratch";
  return (has_base ? ", off offset:" : " offset:") + std::to_string(offset);
}

TEST(OpcodeFamilies, LoadsAndStoresOfEveryWidthInEverySpace) {
  for (const Architecture architecture : kBoth) {
    const bool rdna = is_rdna(architecture);
    for (const std::string space : {"global", "flat", "scratch"}) {
      const std::string address = space == "scratch" ? "off" : "v[2:3]";
      for (const LoadWidth& load : kLoads) {
        SpaceFragment fragment(architecture);
        const std::string text = space + "_load_" + (rdna ? load.rdna : load.cdna) + " " +
                                 vector(20, static_cast<int>(load.expected.size())) + ", " + address +
                                 at(space, load.offset);
        ASSERT_EQ(fragment.run(text), "") << text;
        for (std::size_t i = 0; i < load.expected.size(); ++i) {
          EXPECT_EQ(fragment.get(vector(20 + static_cast<int>(i), 1), 3), load.expected[i]) << text;
        }
      }
      for (const StoreWidth& store : kStores) {
        SpaceFragment fragment(architecture);
        const std::string_view name = store.cdna;
        const int words = name.starts_with("dwordx") ? name.back() - '0' : 1;
        const std::string text = space + "_store_" + (rdna ? store.rdna : store.cdna) + " " + address + ", " +
                                 vector(10, words) + at(space, store.offset);
        ASSERT_EQ(fragment.run(text), "") << text;
        for (std::size_t i = 0; i < store.expected.size(); ++i) {
          EXPECT_EQ(fragment.word(space, 2 + i), store.expected[i]) << text;
        }
      }
    }
  }
}

TEST(OpcodeFamilies, LoadsAndStoresOfLds) {
  const LoadWidth loads[] = {
      {"i16", "i16", 10, {0xffff'80f0}},
      {"u16", "u16", 10, {0x80f0}},
      {"b64", "b64", 8, {0x80f0'0002, 0x80f0'0003}},
      {"u16_d16", "u16_d16", 10, {0x7777'80f0}},
      {"u16_d16_hi", "u16_d16_hi", 10, {0x80f0'7777}},
      {"u8_d16", "u8_d16", 10, {0x7777'00f0}},
      {"u8_d16_hi", "u8_d16_hi", 10, {0x00f0'7777}},
  };
  const StoreWidth stores[] = {{"b8_d16_hi", "b8_d16_hi", 10, {0x8022'0002}},
                               {"b16_d16_hi", "b16_d16_hi", 10, {0x1122'0002}}};
  for (const Architecture architecture : kBoth) {
    const bool rdna = is_rdna(architecture);
    for (const LoadWidth& load : loads) {
      SpaceFragment fragment(architecture);
      const std::string text = std::string(rdna ? "ds_load_" : "ds_read_") + load.cdna + " " +
                               vector(20, static_cast<int>(load.expected.size())) + ", v4" + at("ds", load.offset);
      ASSERT_EQ(fragment.run(text), "") << text;
      for (std::size_t i = 0; i < load.expected.size(); ++i) {
        EXPECT_EQ(fragment.get(vector(20 + static_cast<int>(i), 1), 3), load.expected[i]) << text;
      }
    }
    for (const StoreWidth& store : stores) {
      SpaceFragment fragment(architecture);
      const std::string text =
          std::string(rdna ? "ds_store_" : "ds_write_") + store.cdna + " v4, v10" + at("ds", store.offset);
      ASSERT_EQ(fragment.run(text), "") << text;
      EXPECT_EQ(fragment.word("ds", 2), store.expected[0]) << text;
    }
    // Offsets count 64 elements of 8 bytes: 512.
    SpaceFragment fragment(architecture);
    ASSERT_EQ(fragment.run(rdna ? "ds_store_2addr_stride64_b64 v4, v[10:11], v[12:13] offset0:1 offset1:2\n"
                                  "ds_load_2addr_stride64_b64 v[20:23], v4 offset0:2 offset1:1"
                                : "ds_write2st64_b64 v4, v[10:11], v[12:13] offset0:1 offset1:2\n"
                                  "ds_read2st64_b64 v[20:23], v4 offset0:2 offset1:1"),
              "");
    EXPECT_EQ(fragment.word("ds", 128), 0x1122'3344U);
    EXPECT_EQ(fragment.word("ds", 257), 0x1122'3347U);
    EXPECT_EQ(fragment.get("v20"), 0x1122'3346U);
    EXPECT_EQ(fragment.get("v23"), 0x1122'3345U);
  }
}

TEST(OpcodeFamilies, ScalarLoadsOfEightAndSixteenWords) {
  for (const Architecture architecture : kBoth) {
    SpaceFragment fragment(architecture);
    fragment.set("s[2:3]", reinterpret_cast<U64>(fragment.words.data()));
    ASSERT_EQ(fragment.run(is_rdna(architecture) ? "s_load_b256 s[8:15], s[2:3], 0x4\ns_load_b512 s[16:31], s[2:3], 0x8"
                                                 : "s_load_dwordx8 s[8:15], s[2:3], 0x4\n"
                                                   "s_load_dwordx16 s[16:31], s[2:3], 0x8"),
              "");
    EXPECT_EQ(fragment.get("s8"), kFirstWord + 1);
    EXPECT_EQ(fragment.get("s15"), kFirstWord + 8);
    EXPECT_EQ(fragment.get("s16"), kFirstWord + 2);
    EXPECT_EQ(fragment.get("s31"), kFirstWord + 17);
  }
}

}  // namespace
}  // namespace aaco::amd
