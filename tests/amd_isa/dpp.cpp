// SPDX-License-Identifier: MIT
#include "dpp.h"

#include <optional>

#include "wave.h"

namespace aaco::amd {
namespace {

// The lane that `lane` reads, of a row of sixteen or of all; none where it lies outside.
std::optional<int> source_lane(const Dpp& dpp, int lane) {
  const int amount = static_cast<int>(dpp.amount);
  const int row = lane & ~15;
  const int place = lane & 15;
  const auto in_row = [row](int wanted) {
    return wanted < 0 || wanted > 15 ? std::nullopt : std::optional(row + wanted);
  };
  switch (dpp.move) {
    case DppMove::kQuad:
      return (lane & ~3) + static_cast<int>((dpp.amount >> (2 * (lane & 3))) & 3U);
    case DppMove::kEight:
      return (lane & ~7) + static_cast<int>((dpp.amount >> (3 * (lane & 7))) & 7U);
    case DppMove::kShiftLeft:
      return in_row(place + amount);
    case DppMove::kShiftRight:
      return in_row(place - amount);
    case DppMove::kRotate:
      return row + ((place - amount) & 15);
    case DppMove::kMirror:
      return row + (15 - place);
    case DppMove::kHalfMirror:
      return (lane & ~7) + (7 - (lane & 7));
    case DppMove::kShare:
      return row + amount;
    case DppMove::kXor:
      return row + (place ^ amount);
    case DppMove::kWaveShift:
      return lane == 0 ? std::nullopt : std::optional(lane - 1);
    case DppMove::kBroadcast15:
      return row == 0 ? std::nullopt : std::optional(row - 1);
    case DppMove::kBroadcast31:
      return lane < 32 ? std::nullopt : std::optional(31);
    case DppMove::kNone:
      break;
  }
  return lane;
}

void run_dpp(Wave& wave, const Instruction& outer) {
  const Instruction& inner = *outer.second;
  const Operand& source = inner.operands[inner.outputs];
  const Dpp& dpp = inner.dpp;
  if (source.file != File::kVector) {
    throw Fault{"DPP of what is no vector register"};
  }
  const std::uint64_t exec = wave.exec();
  std::uint64_t enabled = 0;
  for (int lane = 0; lane < wave.lanes(); ++lane) {
    const bool masked = ((dpp.row_mask >> (lane / 16)) & 1) == 0 || ((dpp.bank_mask >> (lane / 4 % 4)) & 1) == 0;
    const std::optional<int> from = source_lane(dpp, lane);
    const bool valid = from && ((exec >> *from) & 1U) != 0;
    for (int word = 0; word < source.words; ++word) {
      std::uint32_t* moved = wave.moved_lanes.data() + static_cast<std::ptrdiff_t>(word) * kMaxLanes;
      moved[lane] = valid ? wave.registers(source.index + word)[*from] : 0;
    }
    enabled |= static_cast<std::uint64_t>(!masked && (valid || dpp.bound_control)) << lane;
  }
  wave.set_lane_mask(kExec, exec & enabled);
  wave.moved = &source;
  inner.handler(wave, inner);
  wave.moved = nullptr;
  wave.set_lane_mask(kExec, exec);
}

}  // namespace

void wrap_dpp(Instruction& instruction) {
  auto inner = std::make_unique<Instruction>(std::move(instruction));
  instruction = Instruction{};
  instruction.handler = run_dpp;
  instruction.unit = inner->unit;
  instruction.second = std::move(inner);
}

std::uint32_t part_of_word(std::uint32_t word, Part part, bool sign_extend) {
  const auto byte = [&](std::uint32_t shift) {
    const std::uint32_t value = (word >> shift) & 0xffU;
    return sign_extend ? static_cast<std::uint32_t>(static_cast<std::int8_t>(value)) : value;
  };
  const auto half = [&](std::uint32_t shift) {
    const std::uint32_t value = (word >> shift) & 0xffffU;
    return sign_extend ? static_cast<std::uint32_t>(static_cast<std::int16_t>(value)) : value;
  };
  switch (part) {
    case Part::kByte0:
      return byte(0);
    case Part::kByte1:
      return byte(8);
    case Part::kByte2:
      return byte(16);
    case Part::kByte3:
      return byte(24);
    case Part::kWord0:
      return half(0);
    case Part::kWord1:
      return half(16);
    case Part::kDword:
      break;
  }
  return word;
}

std::uint32_t with_part(std::uint32_t word, Part part, std::uint32_t value) {
  const bool half = part == Part::kWord0 || part == Part::kWord1;
  const std::uint32_t mask = half ? 0xffffU : 0xffU;
  std::uint32_t shift = 0;
  if (half) {
    shift = part == Part::kWord1 ? 16 : 0;
  } else {
    shift = 8U * (static_cast<std::uint32_t>(part) - static_cast<std::uint32_t>(Part::kByte0));
  }
  return part == Part::kDword ? value : (word & ~(mask << shift)) | ((value & mask) << shift);
}

}  // namespace aaco::amd
