// SPDX-License-Identifier: MIT
#include "reach.h"

#include <cstring>
#include <string>

namespace aaco::amd {
namespace {

std::string hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

const char* word_of(Access access) {
  switch (access) {
    case Access::kRead:
      return "read";
    case Access::kWrite:
      return "write";
    case Access::kAtomic:
      return "atomic operation";
  }
  return "";
}

[[noreturn]] void report_race(const Wave& wave, Access access, const std::string& place, std::uint32_t other) {
  throw Fault{"race: this " + std::string(word_of(access)) + " of " + place + " by wave " +
              std::to_string(wave.global_number) + " is not ordered with an access of wave " + std::to_string(other)};
}

}  // namespace

std::byte* reach_global(Wave& wave, std::uint64_t address, std::size_t bytes, Access access) {
  Launch& launch = *wave.launch;
  Memory::Range& range = launch.last_range;
  if (address < range.begin || address + bytes > range.end || address + bytes < address) {
    const Memory::Range* found = launch.memory->find(address, bytes);
    if (found == nullptr) {
      throw Fault{std::string(word_of(access)) + " of " + std::to_string(bytes) + " bytes at " + hex(address) +
                  ", outside of what is allocated"};
    }
    range = *found;
  }
  if (access != Access::kRead && !range.writable) {
    throw Fault{"write at " + hex(address) + ", which is read only"};
  }
  if (launch.races != nullptr) {
    const auto other = launch.races->access(wave.clock, address, bytes, access);
    if (other) {
      report_race(wave, access, "global memory at " + hex(address), *other);
    }
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are the host's
  return reinterpret_cast<std::byte*>(address);
}

std::byte* reach_lds(Wave& wave, std::uint64_t offset, std::size_t bytes, Access access) {
  Workgroup& group = *wave.group;
  if (offset + bytes > group.lds.size()) {
    throw Fault{std::string(word_of(access)) + " of " + std::to_string(bytes) + " bytes at " + std::to_string(offset) +
                " of LDS, of which there are " + std::to_string(group.lds.size())};
  }
  if (group.races != nullptr) {
    const auto other = group.races->access(wave.clock, offset, bytes, access);
    if (other) {
      report_race(wave, access, "LDS at " + std::to_string(offset), *other);
    }
  }
  return group.lds.data() + offset;
}

std::byte* reach_scratch(Wave& wave, int lane, std::int64_t offset, std::size_t bytes) {
  const std::uint64_t held = wave.launch->scratch_bytes;
  if (offset < 0 || static_cast<std::uint64_t>(offset) + bytes > held) {
    throw Fault{std::to_string(bytes) + " bytes at " + std::to_string(offset) + " of scratch, of which a lane has " +
                std::to_string(held)};
  }
  return wave.scratch.data() + static_cast<std::uint64_t>(lane) * held + static_cast<std::uint64_t>(offset);
}

std::byte* reach_flat(Wave& wave, int lane, std::uint64_t address, std::size_t bytes, Access access) {
  const std::uint64_t aperture = address & 0xffff'ffff'0000'0000;
  if (aperture == kSharedAperture) {
    return reach_lds(wave, address & 0xffff'ffffU, bytes, access);
  }
  if (aperture == kPrivateAperture) {
    return reach_scratch(wave, lane, static_cast<std::int64_t>(address & 0xffff'ffffU), bytes);
  }
  return reach_global(wave, address, bytes, access);
}

void put_loaded(std::uint32_t* first, const std::byte* from, Width width) {
  if (width.bytes >= 4) {
    for (int word = 0; word < width.words(); ++word) {
      std::memcpy(first + std::ptrdiff_t{word} * kMaxLanes, from + std::ptrdiff_t{word} * 4, 4);
    }
    return;
  }
  std::uint32_t value = 0;
  std::memcpy(&value, from, static_cast<std::size_t>(width.bytes));
  if (width.sign_extend) {
    value = width.bytes == 1 ? static_cast<std::uint32_t>(static_cast<std::int8_t>(value))
                             : static_cast<std::uint32_t>(static_cast<std::int16_t>(value));
  }
  switch (width.half) {
    case Half16::kWhole:
      *first = value;
      break;
    case Half16::kLow:
      *first = (*first & 0xffff'0000U) | (value & 0xffffU);
      break;
    case Half16::kHigh:
      *first = (*first & 0xffffU) | (value << 16U);
      break;
  }
}

void take_stored(const std::uint32_t* first, std::byte* to, Width width) {
  if (width.bytes >= 4) {
    for (int word = 0; word < width.words(); ++word) {
      std::memcpy(to + std::ptrdiff_t{word} * 4, first + std::ptrdiff_t{word} * kMaxLanes, 4);
    }
    return;
  }
  const std::uint32_t value = width.half == Half16::kHigh ? *first >> 16U : *first;
  std::memcpy(to, &value, static_cast<std::size_t>(width.bytes));
}

int vector_index(const Operand& operand) {
  if (operand.file != File::kVector) {
    throw Fault{"the operand is not of a vector register"};
  }
  return operand.index;
}

}  // namespace aaco::amd
