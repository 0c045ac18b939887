// SPDX-License-Identifier: MIT
// LDS: loads and stores, of one place or two, and exchanges between lanes that use its wires.
#include <array>
#include <cstring>
#include <string>

#include "reach.h"

namespace aaco::amd {
namespace {

using U32 = std::uint32_t;

// LDS answers in order.
void note_wait(Wave& wave, int first, int words) { wave.waits.issue(WaitCounter::kLgkm, true, first, words, false); }

void note_store(Wave& wave, std::uint32_t moment) {
  wave.waits.issue(WaitCounter::kLgkm, true, kNoRegister, 0, true, moment);
}

template <int kBytes, bool kSign, Half16 kHalf>
void load(Wave& wave, const Instruction& instruction) {
  constexpr Width kWidth{kBytes, kSign, kHalf};
  const int first = vector_index(instruction.operands[0]);
  const U32* address = wave.registers(vector_index(instruction.operands[1]));
  for_active(wave, [&](int lane) {
    const std::uint64_t offset = address[lane] + static_cast<U32>(instruction.offset);
    put_loaded(wave.registers(first) + lane, reach_lds(wave, offset, kBytes, Access::kRead), kWidth);
  });
  note_wait(wave, first, kWidth.words());
}

template <int kBytes, Half16 kHalf>
void store(Wave& wave, const Instruction& instruction) {
  constexpr Width kWidth{kBytes, false, kHalf};
  const U32* address = wave.registers(vector_index(instruction.operands[0]));
  const int first = vector_index(instruction.operands[1]);
  const std::uint32_t moment = begin_store(wave);
  for_active(wave, [&](int lane) {
    const std::uint64_t offset = address[lane] + static_cast<U32>(instruction.offset);
    take_stored(wave.registers(first) + lane, reach_lds(wave, offset, kBytes, Access::kWrite), kWidth);
  });
  note_store(wave, moment);
}

// Two places, whose offsets count elements (of 64 elements: kStride).
template <int kBytes, int kStride>
void load_two(Wave& wave, const Instruction& instruction) {
  constexpr Width kWidth{kBytes};
  const int first = vector_index(instruction.operands[0]);
  const U32* address = wave.registers(vector_index(instruction.operands[1]));
  for_active(wave, [&](int lane) {
    const U32 base = address[lane];
    const int offsets[] = {instruction.offset0, instruction.offset1};
    for (int part = 0; part < 2; ++part) {
      const std::uint64_t offset = base + static_cast<U32>(offsets[part] * kBytes * kStride);
      put_loaded(wave.registers(first + part * kWidth.words()) + lane, reach_lds(wave, offset, kBytes, Access::kRead),
                 kWidth);
    }
  });
  note_wait(wave, first, 2 * kWidth.words());
}

template <int kBytes, int kStride>
void store_two(Wave& wave, const Instruction& instruction) {
  constexpr Width kWidth{kBytes};
  const U32* address = wave.registers(vector_index(instruction.operands[0]));
  const int sources[] = {vector_index(instruction.operands[1]), vector_index(instruction.operands[2])};
  const int offsets[] = {instruction.offset0, instruction.offset1};
  const std::uint32_t moment = begin_store(wave);
  for_active(wave, [&](int lane) {
    for (int part = 0; part < 2; ++part) {
      const std::uint64_t offset = address[lane] + static_cast<U32>(offsets[part] * kBytes * kStride);
      take_stored(wave.registers(sources[part]) + lane, reach_lds(wave, offset, kBytes, Access::kWrite), kWidth);
    }
  });
  note_store(wave, moment);
}

// D = the data of the lane whose number, times four, this lane names; zero of a lane that is not active.
void permute_backward(Wave& wave, const Instruction& instruction) {
  const int result = vector_index(instruction.operands[0]);
  const U32* address = wave.registers(vector_index(instruction.operands[1]));
  const U32* data = wave.registers(vector_index(instruction.operands[2]));
  const std::uint64_t exec = wave.exec();
  std::array<U32, kMaxLanes> found{};
  for_active(wave, [&](int lane) {
    const U32 from = ((address[lane] + static_cast<U32>(instruction.offset)) / 4U) & static_cast<U32>(wave.lanes() - 1);
    found[static_cast<std::size_t>(lane)] = ((exec >> from) & 1U) != 0 ? data[from] : 0;
  });
  for_active(wave, [&](int lane) { wave.registers(result)[lane] = found[static_cast<std::size_t>(lane)]; });
  note_wait(wave, result, 1);
}

// The lane that this lane names gets its data; of several the highest wins.
void permute_forward(Wave& wave, const Instruction& instruction) {
  const int result = vector_index(instruction.operands[0]);
  const U32* address = wave.registers(vector_index(instruction.operands[1]));
  const U32* data = wave.registers(vector_index(instruction.operands[2]));
  std::array<U32, kMaxLanes> found{};
  for_active(wave, [&](int lane) {
    const U32 to = ((address[lane] + static_cast<U32>(instruction.offset)) / 4U) & static_cast<U32>(wave.lanes() - 1);
    found[to] = data[lane];
  });
  for_active(wave, [&](int lane) { wave.registers(result)[lane] = found[static_cast<std::size_t>(lane)]; });
  note_wait(wave, result, 1);
}

template <int kBytes, bool kSign = false, Half16 kHalf = Half16::kWhole>
void add_load(OpcodeList& list, const std::string& name) {
  list.push_back({name, load<kBytes, kSign, kHalf>, Unit::kLds, 1, {}, kHalf == Half16::kWhole ? 0U : kReadsOutput});
}

template <int kBytes, Half16 kHalf = Half16::kWhole>
void add_store(OpcodeList& list, const std::string& name) {
  list.push_back({name, store<kBytes, kHalf>, Unit::kLds, 0, {}, 0});
}

template <int kBytes, int kStride>
void add_two(OpcodeList& list, const std::string& load, const std::string& store) {
  list.push_back({load, load_two<kBytes, kStride>, Unit::kLds, 1, {}, 0});
  list.push_back({store, store_two<kBytes, kStride>, Unit::kLds, 0, {}, 0});
}

}  // namespace

OpcodeList lds_opcodes(Architecture architecture) {
  const bool rdna = architecture == Architecture::kGfx1100;
  const std::string read = rdna ? "ds_load_" : "ds_read_";
  const std::string write = rdna ? "ds_store_" : "ds_write_";
  OpcodeList list;
  add_load<1>(list, read + "u8");
  add_load<1, true>(list, read + "i8");
  add_load<2>(list, read + "u16");
  add_load<2, true>(list, read + "i16");
  add_load<4>(list, read + "b32");
  add_load<8>(list, read + "b64");
  add_load<12>(list, read + "b96");
  add_load<16>(list, read + "b128");
  add_load<2, false, Half16::kLow>(list, read + "u16_d16");
  add_load<2, false, Half16::kHigh>(list, read + "u16_d16_hi");
  add_load<1, false, Half16::kLow>(list, read + "u8_d16");
  add_load<1, false, Half16::kHigh>(list, read + "u8_d16_hi");
  add_store<1>(list, write + "b8");
  add_store<2>(list, write + "b16");
  add_store<4>(list, write + "b32");
  add_store<8>(list, write + "b64");
  add_store<12>(list, write + "b96");
  add_store<16>(list, write + "b128");
  add_store<1, Half16::kHigh>(list, write + "b8_d16_hi");
  add_store<2, Half16::kHigh>(list, write + "b16_d16_hi");
  if (rdna) {
    add_two<4, 1>(list, "ds_load_2addr_b32", "ds_store_2addr_b32");
    add_two<8, 1>(list, "ds_load_2addr_b64", "ds_store_2addr_b64");
    add_two<4, 64>(list, "ds_load_2addr_stride64_b32", "ds_store_2addr_stride64_b32");
    add_two<8, 64>(list, "ds_load_2addr_stride64_b64", "ds_store_2addr_stride64_b64");
  } else {
    add_two<4, 1>(list, "ds_read2_b32", "ds_write2_b32");
    add_two<8, 1>(list, "ds_read2_b64", "ds_write2_b64");
    add_two<4, 64>(list, "ds_read2st64_b32", "ds_write2st64_b32");
    add_two<8, 64>(list, "ds_read2st64_b64", "ds_write2st64_b64");
  }
  list.push_back({"ds_bpermute_b32", permute_backward, Unit::kLds, 1, {}, 0});
  list.push_back({"ds_permute_b32", permute_forward, Unit::kLds, 1, {}, 0});
  return list;
}

}  // namespace aaco::amd
