// SPDX-License-Identifier: MIT
// Atomic operations on global memory and LDS. Lanes go one after another, the lowest first.
#include <algorithm>
#include <cstring>
#include <string>

#include "reach.h"

namespace aaco::amd {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using I32 = std::int32_t;
using I64 = std::int64_t;

template <class T>
T register_value(const std::uint32_t* lane) {
  U64 bits = lane[0];
  if constexpr (sizeof(T) == 8) {
    bits |= U64{lane[kMaxLanes]} << 32U;
    return std::bit_cast<T>(bits);
  } else {
    return std::bit_cast<T>(static_cast<U32>(bits));
  }
}

// F(memory, data, what is compared) gives the new value; the comparand lies in the registers behind the data.
template <class T, class F>
T change(std::byte* place, const std::uint32_t* data) {
  T before;
  std::memcpy(&before, place, sizeof before);
  T compared{};
  if constexpr (F::kCompares) {
    compared = register_value<T>(data + (sizeof(T) / 4) * kMaxLanes);
  }
  const T after = F{}(before, register_value<T>(data), compared);
  std::memcpy(place, &after, sizeof after);
  return before;
}

// An atomic operation on LDS comes behind the writes to LDS before it in any case, one on memory only behind those that
// were waited for.
void begin_order(Wave& wave, bool on_lds) {
  if (wave.launch->atomic_order != nullptr) {
    wave.clock.store_under_way = wave.waits.oldest_store(!on_lds);
  }
}

void order(Wave& wave, const std::byte* place, bool returns) {
  AtomicOrder* passed = wave.launch->atomic_order;
  if (passed == nullptr) {
    return;
  }
  const auto key = reinterpret_cast<U64>(place);
  passed->release(wave.clock, key);
  if (returns) {
    passed->acquire(wave.clock, key);
  }
}

void end_order(Wave& wave) {
  if (wave.launch->atomic_order != nullptr) {
    wave.clock.store_under_way.reset();
    wave.clock.advance();
  }
}

template <class T>
void put_old(std::uint32_t* result, T before) {
  std::uint32_t words[sizeof(T) / 4];
  std::memcpy(words, &before, sizeof before);
  for (std::size_t word = 0; word < sizeof(T) / 4; ++word) {
    result[word * kMaxLanes] = words[word];
  }
}

void check_aligned(U64 address, std::size_t bytes) {
  if (address % bytes != 0) {
    throw Fault{"an atomic operation whose address is not a multiple of " + std::to_string(bytes)};
  }
}

// Text operands: [old value,] address, data[, scalar base].
template <class T, class F, bool kFlat>
void run_global(Wave& wave, const Instruction& instruction) {
  const std::size_t first = instruction.outputs;
  const std::uint32_t* low = wave.registers(vector_index(instruction.operands[first]));
  const int data = vector_index(instruction.operands[first + 1]);
  const Operand& scalar = instruction.operands[first + 2];
  const bool returns = instruction.outputs != 0;
  const int result = returns ? vector_index(instruction.operands[0]) : kNoRegister;
  const auto offset = static_cast<U64>(std::int64_t{instruction.offset});
  begin_order(wave, false);
  const U32 moment = begin_store(wave);
  for_active(wave, [&](int lane) {
    const U64 base = scalar.file == File::kScalar ? wave.pair(scalar.index) : U64{low[lane + kMaxLanes]} << 32U;
    const U64 address = base + low[lane] + offset;
    check_aligned(address, sizeof(T));
    std::byte* place = kFlat ? reach_flat(wave, lane, address, sizeof(T), Access::kAtomic)
                             : reach_global(wave, address, sizeof(T), Access::kAtomic);
    order(wave, place, returns);
    const T before = change<T, F>(place, wave.registers(data) + lane);
    if (returns) {
      put_old(wave.registers(result) + lane, before);
    }
  });
  end_order(wave);
  const bool rdna = wave.launch->architecture == Architecture::kGfx1100;
  const bool in_order = rdna || !kFlat;
  wave.waits.issue(rdna && !returns ? WaitCounter::kVs : WaitCounter::kVm, in_order, result, sizeof(T) / 4, false,
                   moment);
  if (kFlat) {
    wave.waits.issue(WaitCounter::kLgkm, in_order, result, sizeof(T) / 4, false, moment);
  }
}

template <class T, class F, bool kReturns>
void run_lds(Wave& wave, const Instruction& instruction) {
  const std::size_t first = kReturns ? 1 : 0;
  const std::uint32_t* address = wave.registers(vector_index(instruction.operands[first]));
  const int data = vector_index(instruction.operands[first + 1]);
  const int result = kReturns ? vector_index(instruction.operands[0]) : kNoRegister;
  begin_order(wave, true);
  const U32 moment = begin_store(wave);
  for_active(wave, [&](int lane) {
    const U64 offset = U64{address[lane]} + static_cast<U64>(instruction.offset);
    check_aligned(offset, sizeof(T));
    std::byte* place = reach_lds(wave, offset, sizeof(T), Access::kAtomic);
    order(wave, place, kReturns);
    const T before = change<T, F>(place, wave.registers(data) + lane);
    if (kReturns) {
      put_old(wave.registers(result) + lane, before);
    }
  });
  end_order(wave);
  wave.waits.issue(WaitCounter::kLgkm, true, result, sizeof(T) / 4, true, moment);
}

template <class F, bool kWithComparand = false>
struct Change : F {
  static constexpr bool kCompares = kWithComparand;
};

template <class T, class F>
void add_global(OpcodeList& list, const std::string& name) {
  list.push_back({"global_atomic_" + name, run_global<T, F, false>, Unit::kMemory, 0, {}, kAtomic});
  list.push_back({"flat_atomic_" + name, run_global<T, F, true>, Unit::kMemory, 0, {}, kAtomic});
}

template <class T, class F>
void add_lds(OpcodeList& list, const std::string& name, const std::string& type) {
  list.push_back({"ds_" + name + "_" + type, run_lds<T, F, false>, Unit::kLds, 0, {}, 0});
  list.push_back({"ds_" + name + "_rtn_" + type, run_lds<T, F, true>, Unit::kLds, 1, {}, 0});
}

// `cdna`: the name on gfx942 for 32 bits; with _x2 for 64. `rdna`: the name before the type on gfx1100.
template <class T, class F>
void add_both(OpcodeList& list, bool is_rdna, const std::string& cdna, const std::string& rdna, const std::string& type,
              F) {
  using Operation = Change<F>;
  add_global<T, Operation>(list, is_rdna ? rdna + "_" + type : sizeof(T) == 8 ? cdna + "_x2" : cdna);
  add_lds<T, Operation>(list, rdna, type);
}

template <class U, class I>
void add_integers(OpcodeList& list, bool rdna, const std::string& bits) {
  add_both<U>(list, rdna, "add", "add", "u" + bits, [](U m, U d, U) { return m + d; });
  add_both<U>(list, rdna, "sub", "sub", "u" + bits, [](U m, U d, U) { return m - d; });
  add_both<U>(list, rdna, "umin", "min", "u" + bits, [](U m, U d, U) { return std::min(m, d); });
  add_both<U>(list, rdna, "umax", "max", "u" + bits, [](U m, U d, U) { return std::max(m, d); });
  add_both<I>(list, rdna, "smin", "min", "i" + bits, [](I m, I d, I) { return std::min(m, d); });
  add_both<I>(list, rdna, "smax", "max", "i" + bits, [](I m, I d, I) { return std::max(m, d); });
  add_both<U>(list, rdna, "and", "and", "b" + bits, [](U m, U d, U) { return m & d; });
  add_both<U>(list, rdna, "or", "or", "b" + bits, [](U m, U d, U) { return m | d; });
  add_both<U>(list, rdna, "xor", "xor", "b" + bits, [](U m, U d, U) { return m ^ d; });
  constexpr auto kSwap = [](U, U d, U) { return d; };
  constexpr auto kCompareAndSwap = [](U m, U d, U compared) { return m == compared ? d : m; };
  using Swap = Change<decltype(kSwap)>;
  using CompareAndSwap = Change<decltype(kCompareAndSwap), true>;
  const std::string suffix = rdna ? "_b" + bits : sizeof(U) == 8 ? "_x2" : "";
  add_global<U, Swap>(list, "swap" + suffix);
  add_global<U, CompareAndSwap>(list, "cmpswap" + suffix);
  list.push_back(
      {(rdna ? "ds_storexchg_rtn_b" : "ds_wrxchg_rtn_b") + bits, run_lds<U, Swap, true>, Unit::kLds, 1, {}, 0});
}

}  // namespace

OpcodeList atomic_opcodes(Architecture architecture) {
  const bool rdna = architecture == Architecture::kGfx1100;
  OpcodeList list;
  add_integers<U32, I32>(list, rdna, "32");
  add_integers<U64, I64>(list, rdna, "64");
  constexpr auto kAdd = [](float m, float d, float) { return m + d; };
  add_global<float, Change<decltype(kAdd)>>(list, "add_f32");
  add_lds<float, Change<decltype(kAdd)>>(list, "add", "f32");
  if (!rdna) {
    constexpr auto kAddDouble = [](double m, double d, double) { return m + d; };
    add_global<double, Change<decltype(kAddDouble)>>(list, "add_f64");
    add_lds<double, Change<decltype(kAddDouble)>>(list, "add", "f64");
  }
  return list;
}

}  // namespace aaco::amd
