// SPDX-License-Identifier: MIT
// Branches, waits, barriers, MODE and what has no effect here. Their operands are the sixteen lowest bits of the word.
#include <string>

#include "start.h"
#include "wave.h"

namespace aaco::amd {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

void jump(Wave& wave, const Instruction& instruction) {
  wave.pc = instruction.next + static_cast<U64>(static_cast<std::int16_t>(instruction.target)) * 4;
}

template <class Condition>
Opcode branch(std::string name, Condition) {
  return {std::move(name),
          [](Wave& wave, const Instruction& instruction) {
            if (Condition{}(wave)) {
              jump(wave, instruction);
            }
          },
          Unit::kScalar,
          0,
          {},
          0};
}

void nothing(Wave&, const Instruction&) {}

void end(Wave& wave, const Instruction&) { wave.state = WaveState::kEnded; }

void barrier(Wave& wave, const Instruction&) {
  if (wave.launch->options->check_waits && wave.waits.lds_writes_under_way()) {
    throw Fault{"barrier while a write to LDS of this wave is under way: s_waitcnt lgkmcnt(0) is missing"};
  }
  // The waves of a workgroup on gfx942 share a cache that keeps their order; two halves of a WGP have one each.
  if (wave.launch->races != nullptr && wave.launch->two_caches) {
    wave.clock.store_under_way = wave.waits.oldest_store(false);
  }
  wave.state = WaveState::kAtBarrier;
}

void trap(Wave&, const Instruction&) { throw Fault{"the kernel traps"}; }

void code_end(Wave&, const Instruction&) { throw Fault{"the program counter is behind the end of the kernel"}; }

// gfx942: vmcnt 15:14 and 3:0, lgkmcnt 11:8.
void wait_gfx942(Wave& wave, const Instruction& instruction) {
  const auto coded = static_cast<U32>(instruction.target);
  wave.waits.wait(WaitCounter::kVm, (coded & 15U) | ((coded >> 10U) & 0x30U));
  wave.waits.wait(WaitCounter::kLgkm, (coded >> 8U) & 15U);
}

// gfx1100: vmcnt 15:10, lgkmcnt 9:4.
void wait_gfx1100(Wave& wave, const Instruction& instruction) {
  const auto coded = static_cast<U32>(instruction.target);
  wave.waits.wait(WaitCounter::kVm, (coded >> 10U) & 63U);
  wave.waits.wait(WaitCounter::kLgkm, (coded >> 4U) & 63U);
}

template <WaitCounter kCounter>
void wait_for_one(Wave& wave, const Instruction& instruction) {
  wave.waits.wait(kCounter, static_cast<U32>(instruction.target) & 63U);
}

void set_mode_field(Wave& wave, U32 offset, U32 value) {
  set_mode(wave, (wave.mode & ~(15U << offset)) | ((value & 15U) << offset));
}

// hwreg: id 5:0, offset 10:6, size - 1 15:11. MODE is 1.
void set_register(Wave& wave, const Instruction& instruction, U32 value) {
  const auto coded = static_cast<U32>(instruction.target);
  if ((coded & 63U) != 1) {
    throw Fault{"hardware register " + std::to_string(coded & 63U) + " has no handler"};
  }
  const U32 offset = (coded >> 6U) & 31U;
  const U32 size = ((coded >> 11U) & 31U) + 1;
  const U32 mask = (size == 32 ? ~0U : (1U << size) - 1) << offset;
  set_mode(wave, (wave.mode & ~mask) | ((value << offset) & mask));
}

void real_time(Wave& wave, const Instruction& instruction) {
  write_long(wave, instruction.operands[0], wave.launch->clock);
  wave.waits.issue(WaitCounter::kLgkm, false, kVectors + instruction.operands[0].index, 2, false);
}

void get_pc(Wave& wave, const Instruction& instruction) {
  write_long(wave, instruction.operands[0], wave.image + instruction.next);
}

void set_pc(Wave& wave, const Instruction& instruction) {
  wave.pc = read_long(wave, instruction.operands[0]) - wave.image;
}

void swap_pc(Wave& wave, const Instruction& instruction) {
  const U64 target = read_long(wave, instruction.operands[1]);
  write_long(wave, instruction.operands[0], wave.image + instruction.next);
  wave.pc = target - wave.image;
}

void add_branches(OpcodeList& list) {
  list.push_back(branch("s_branch", [](const Wave&) { return true; }));
  list.push_back(branch("s_cbranch_scc0", [](const Wave& wave) { return !wave.scc; }));
  list.push_back(branch("s_cbranch_scc1", [](const Wave& wave) { return wave.scc; }));
  list.push_back(branch("s_cbranch_vccz", [](const Wave& wave) { return wave.vcc() == 0; }));
  list.push_back(branch("s_cbranch_vccnz", [](const Wave& wave) { return wave.vcc() != 0; }));
  list.push_back(branch("s_cbranch_execz", [](const Wave& wave) { return wave.exec() == 0; }));
  list.push_back(branch("s_cbranch_execnz", [](const Wave& wave) { return wave.exec() != 0; }));
  list.push_back({"s_getpc_b64", get_pc, Unit::kScalar, 1, {}, 0});
  list.push_back({"s_setpc_b64", set_pc, Unit::kScalar, 0, {Kind::kLong}, 0});
  list.push_back({"s_swappc_b64", swap_pc, Unit::kScalar, 1, {Kind::kLong, Kind::kLong}, 0});
}

void add_waits(OpcodeList& list, Architecture architecture) {
  if (architecture == Architecture::kGfx942) {
    list.push_back({"s_waitcnt", wait_gfx942, Unit::kScalar, 0, {}, 0});
  } else {
    list.push_back({"s_waitcnt", wait_gfx1100, Unit::kScalar, 0, {}, 0});
    list.push_back({"s_waitcnt_vscnt", wait_for_one<WaitCounter::kVs>, Unit::kScalar, 0, {}, 0});
    list.push_back({"s_waitcnt_vmcnt", wait_for_one<WaitCounter::kVm>, Unit::kScalar, 0, {}, 0});
    list.push_back({"s_waitcnt_lgkmcnt", wait_for_one<WaitCounter::kLgkm>, Unit::kScalar, 0, {}, 0});
  }
}

void add_mode(OpcodeList& list) {
  list.push_back({"s_round_mode",
                  [](Wave& wave, const Instruction& instruction) {
                    set_mode_field(wave, 0, static_cast<U32>(instruction.target));
                  },
                  Unit::kScalar,
                  0,
                  {},
                  0});
  list.push_back({"s_denorm_mode",
                  [](Wave& wave, const Instruction& instruction) {
                    set_mode_field(wave, 4, static_cast<U32>(instruction.target));
                  },
                  Unit::kScalar,
                  0,
                  {},
                  0});
  const Handler set = [](Wave& wave, const Instruction& instruction) {
    set_register(wave, instruction, read_word(wave, instruction.operands[0]));
  };
  list.push_back({"s_setreg_b32", set, Unit::kScalar, 0, {}, 0});
  list.push_back({"s_setreg_imm32_b32", set, Unit::kScalar, 0, {}, 0});
}

}  // namespace

OpcodeList control_opcodes(Architecture architecture) {
  OpcodeList list;
  add_branches(list);
  add_waits(list, architecture);
  add_mode(list);
  for (const char* name : {"s_nop", "s_clause", "s_delay_alu", "s_waitcnt_depctr", "s_set_inst_prefetch_distance",
                           "s_sendmsg", "s_sleep", "s_setprio"}) {
    list.push_back({name, nothing, Unit::kScalar, 0, {}, 0});
  }
  // Invalidate and write back caches, of which there are none here.
  for (const char* name : {"buffer_gl0_inv", "buffer_gl1_inv", "buffer_inv", "buffer_wbl2", "s_dcache_inv"}) {
    list.push_back({name, nothing, Unit::kMemory, 0, {}, 0});
  }
  list.push_back({"s_barrier", barrier, Unit::kBarrier, 0, {}, 0});
  list.push_back({"s_endpgm", end, Unit::kEnd, 0, {}, 0});
  list.push_back({"s_trap", trap, Unit::kScalar, 0, {}, 0});
  list.push_back({"s_sethalt", trap, Unit::kScalar, 0, {}, 0});
  list.push_back({"s_code_end", code_end, Unit::kScalar, 0, {}, 0});
  list.push_back({"v_illegal", code_end, Unit::kScalar, 0, {}, 0});
  list.push_back({"s_memrealtime", real_time, Unit::kMemory, 1, {}, 0});
  list.push_back({"s_memtime", real_time, Unit::kMemory, 1, {}, 0});
  list.push_back({"s_sendmsg_rtn_b64", real_time, Unit::kScalar, 1, {}, 0});
  list.push_back({"s_sendmsg_rtn_b32", trap, Unit::kScalar, 1, {}, 0});  // of the doorbell, before a trap
  return list;
}

}  // namespace aaco::amd
