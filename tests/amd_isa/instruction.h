// SPDX-License-Identifier: MIT
// A decoded instruction and the table that says what runs it. Decoding resolves everything once: which handler, where
// each operand lies, and constants in the form that the operation reads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aaco::amd {

struct Wave;
struct Instruction;
using Handler = void (*)(Wave&, const Instruction&);

enum class Architecture : std::uint8_t { kGfx942, kGfx1100 };

inline int lanes_of(Architecture architecture) { return architecture == Architecture::kGfx942 ? 64 : 32; }

// The register files as one index space for the tracking of waits: vector registers, accumulation registers, scalars.
inline constexpr int kAccumulators = 256;
inline constexpr int kVectors = 512;
inline constexpr int kRegisters = kVectors + 128;
inline constexpr int kVcc = 106;
inline constexpr int kM0 = 124;
inline constexpr int kExec = 126;

// How a constant is read: 1.0 is other bits for each.
enum class Kind : std::uint8_t { kWord, kHalf, kLong, kDouble };

enum class File : std::uint8_t { kNone, kVector, kScalar, kConstant, kNull, kScc };

// A part of a register that SDWA reads or writes.
enum class Part : std::uint8_t { kDword, kByte0, kByte1, kByte2, kByte3, kWord0, kWord1 };

struct Operand {
  File file = File::kNone;
  std::uint8_t words = 0;
  std::uint16_t index = 0;  // of its file; accumulation registers begin at kAccumulators
  std::array<std::uint32_t, 2> constant{};
  bool negate = false;
  bool absolute = false;
  bool sign_extend = false;  // SDWA
  Part part = Part::kDword;  // SDWA
};

enum class Unit : std::uint8_t { kScalar, kVector, kMatrix, kLds, kMemory, kScratch, kBarrier, kEnd };

// What of SDWA, DPP and output modifiers an instruction carries.
enum class DppMove : std::uint8_t {
  kNone,
  kQuad,
  kShiftLeft,
  kShiftRight,
  kRotate,
  kMirror,
  kHalfMirror,
  kBroadcast15,
  kBroadcast31,
  kShare,
  kXor,
  kWaveShift,
  kEight
};

struct Dpp {
  DppMove move = DppMove::kNone;
  std::uint32_t amount = 0;  // of a shift or rotation; kQuad: four times two bits; kEight: eight times three bits
  std::uint8_t row_mask = 15;
  std::uint8_t bank_mask = 15;
  bool bound_control = false;  // lanes without a source read zero
};

inline constexpr int kOperands = 6;

struct Instruction {
  Handler handler = nullptr;
  std::uint64_t address = 0;  // offset in the image
  std::uint64_t next = 0;     // of the instruction behind it
  std::array<Operand, kOperands> operands;
  std::uint8_t count = 0;    // of operands
  std::uint8_t outputs = 0;  // leading operands that are written
  Unit unit = Unit::kScalar;
  bool reads_output = false;  // operand 0 is read as well
  bool special = false;       // clamp, output modifier or a part as destination
  bool clamp = false;
  float output_factor = 1.0F;
  bool preserve_rest = false;  // SDWA: dst_unused:UNUSED_PRESERVE
  std::uint8_t op_sel = 0;     // a bit for each source, and one behind them for the result
  std::uint8_t op_sel_hi = 0xff;
  std::uint8_t neg_lo = 0;
  std::uint8_t neg_hi = 0;
  std::int32_t offset = 0;
  std::int32_t offset0 = 0;
  std::int32_t offset1 = 0;
  bool returns = false;  // sc0 or glc: an atomic that gives the old value
  Dpp dpp;
  std::uint64_t target = 0;             // of a branch; a wait's counts, one byte each: vmcnt, lgkmcnt, vscnt
  std::unique_ptr<Instruction> second;  // of a VOPD pair; the inner instruction of DPP
};

enum OpcodeTrait : std::uint32_t {
  kReadsOutput = 1,     // operand 0 is a source as well
  kReadsVcc = 2,        // without naming it
  kKeepsUpperHalf = 4,  // a 16-bit result leaves the upper half alone on gfx942 too
  kAtomic = 8,          // of global memory: with sc0 or glc it gives the old value as a first operand
};

// A line of the table. The name is the mnemonic without _e32, _e64, _dpp and _sdwa.
struct Opcode {
  std::string name;
  Handler handler = nullptr;
  Unit unit = Unit::kVector;
  std::uint8_t outputs = 1;
  std::array<Kind, kOperands> kinds{};
  std::uint32_t traits = 0;
  mutable bool decoded = false;  // in this process, for the test that none is left out
};

using OpcodeList = std::vector<Opcode>;

// Each unit's operations; those whose names or semantics differ take the architecture.
OpcodeList scalar_opcodes(Architecture architecture);
OpcodeList scalar_compare_opcodes(Architecture architecture);
OpcodeList control_opcodes(Architecture architecture);
OpcodeList vector_float_opcodes(Architecture architecture);
OpcodeList vector_double_opcodes(Architecture architecture);
OpcodeList vector_division_opcodes(Architecture architecture);
OpcodeList vector_half_opcodes(Architecture architecture);
OpcodeList vector_convert_opcodes(Architecture architecture);
OpcodeList vector_integer_opcodes(Architecture architecture);
OpcodeList vector_carry_opcodes(Architecture architecture);
OpcodeList vector_packed_opcodes(Architecture architecture);
OpcodeList vector_lane_opcodes(Architecture architecture);
OpcodeList compare_opcodes(Architecture architecture);
OpcodeList global_opcodes(Architecture architecture);
OpcodeList atomic_opcodes(Architecture architecture);
OpcodeList scalar_memory_opcodes(Architecture architecture);
OpcodeList lds_opcodes(Architecture architecture);
OpcodeList matrix_opcodes(Architecture architecture);

// The table's line, or nullptr. `mnemonic` as the disassembler prints it.
const Opcode* find_opcode(Architecture architecture, std::string_view mnemonic);

const OpcodeList& all_opcodes(Architecture architecture);

// The mnemonic without its encoding: v_add_f32_e64_dpp is v_add_f32.
std::string_view without_encoding(std::string_view mnemonic);

std::optional<Architecture> architecture_of(std::string_view name);

}  // namespace aaco::amd
