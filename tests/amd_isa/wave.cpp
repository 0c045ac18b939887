// SPDX-License-Identifier: MIT
#include "wave.h"

namespace aaco::amd {

std::uint64_t read_mask(const Wave& wave, const Operand& operand) {
  switch (operand.file) {
    case File::kScalar:
      return wave.lane_mask(operand.index);
    case File::kConstant:
      return operand.constant[0] | (static_cast<std::uint64_t>(operand.constant[1]) << 32U);
    case File::kNull:
      return 0;
    default:
      throw Fault{"a mask of lanes is not in scalar registers"};
  }
}

void write_mask(Wave& wave, const Operand& operand, std::uint64_t value) {
  if (operand.file == File::kScalar) {
    wave.set_lane_mask(operand.index, value);
  } else if (operand.file != File::kNull) {
    throw Fault{"a mask of lanes does not go to scalar registers"};
  }
}

std::uint32_t read_word(const Wave& wave, const Operand& operand) {
  switch (operand.file) {
    case File::kScalar:
      return wave.scalar[operand.index];
    case File::kConstant:
      return operand.constant[0];
    case File::kNull:
      return 0;
    case File::kScc:
      return wave.scc ? 1 : 0;
    default:
      throw Fault{"a scalar operand is not in scalar registers"};
  }
}

std::uint64_t read_long(const Wave& wave, const Operand& operand) {
  switch (operand.file) {
    case File::kScalar:
      return wave.pair(operand.index);
    case File::kConstant:
      return operand.constant[0] | (static_cast<std::uint64_t>(operand.constant[1]) << 32U);
    case File::kNull:
      return 0;
    case File::kScc:
      return wave.scc ? 1 : 0;
    default:
      throw Fault{"a scalar operand is not in scalar registers"};
  }
}

void write_word(Wave& wave, const Operand& operand, std::uint32_t value) {
  if (operand.file == File::kScalar) {
    wave.scalar[operand.index] = value;
  } else if (operand.file != File::kNull) {
    throw Fault{"a scalar result does not go to scalar registers"};
  }
}

void write_long(Wave& wave, const Operand& operand, std::uint64_t value) {
  if (operand.file == File::kScalar) {
    wave.set_pair(operand.index, value);
  } else if (operand.file != File::kNull) {
    throw Fault{"a scalar result does not go to scalar registers"};
  }
}

std::uint32_t begin_store(Wave& wave) {
  if (wave.launch->races == nullptr) {
    return 0;
  }
  if (!wave.waits.stores_under_way()) {
    wave.clock.advance();
  }
  return wave.clock.now();
}

}  // namespace aaco::amd
