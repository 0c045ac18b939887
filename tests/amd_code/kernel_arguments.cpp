// SPDX-License-Identifier: MIT
#include "kernel_arguments.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace aaco::amd {
namespace {

struct HiddenArgument {
  std::string_view kind;
  std::uint32_t bytes;
  std::uint64_t (*value)(const Geometry& geometry);
};

std::uint64_t none(const Geometry& /*geometry*/) { return 0; }

template <int kAxis>
std::uint64_t blocks(const Geometry& geometry) {
  return geometry.grid_blocks[kAxis];
}

template <int kAxis>
std::uint64_t threads(const Geometry& geometry) {
  return geometry.block[kAxis];
}

// Of a grid: 3 where anything lies along z, 2 where along y.
std::uint64_t dimensions(const Geometry& geometry) {
  const auto more = [&](int axis) { return geometry.grid_blocks[axis] > 1 || geometry.block[axis] > 1; };
  return more(2) ? 3 : (more(1) ? 2 : 1);
}

std::uint64_t dynamic_lds(const Geometry& geometry) { return geometry.dynamic_lds_bytes; }

// HIP launches whole blocks only, so that there is no remainder, and grids begin at 0.
constexpr std::array kHidden{
    HiddenArgument{"hidden_block_count_x", 4, blocks<0>}, HiddenArgument{"hidden_block_count_y", 4, blocks<1>},
    HiddenArgument{"hidden_block_count_z", 4, blocks<2>}, HiddenArgument{"hidden_group_size_x", 2, threads<0>},
    HiddenArgument{"hidden_group_size_y", 2, threads<1>}, HiddenArgument{"hidden_group_size_z", 2, threads<2>},
    HiddenArgument{"hidden_remainder_x", 2, none},        HiddenArgument{"hidden_remainder_y", 2, none},
    HiddenArgument{"hidden_remainder_z", 2, none},        HiddenArgument{"hidden_global_offset_x", 8, none},
    HiddenArgument{"hidden_global_offset_y", 8, none},    HiddenArgument{"hidden_global_offset_z", 8, none},
    HiddenArgument{"hidden_grid_dims", 2, dimensions},    HiddenArgument{"hidden_dynamic_lds_size", 4, dynamic_lds},
};

Result<void> fill_hidden(const KernelMetadata& kernel, const KernelArgument& argument, const Geometry& geometry,
                         std::vector<std::byte>& bytes) {
  const auto* const known =
      std::find_if(kHidden.begin(), kHidden.end(), [&](const auto& each) { return each.kind == argument.kind; });
  if (known == kHidden.end() || known->bytes != argument.bytes) {
    return Error{ErrorKind::kUnavailable,
                 kernel.name + " wants " + argument.kind + " of " + std::to_string(argument.bytes) +
                     " bytes, which is not known here",
                 "add it to kHidden in tests/amd_code/kernel_arguments.cpp"};
  }
  const std::uint64_t value = known->value(geometry);
  std::memcpy(bytes.data() + argument.offset, &value, argument.bytes);  // the low bytes: both sides are little-endian
  return {};
}

}  // namespace

std::vector<std::byte> copy_explicit(const KernelMetadata& kernel, const void* const* arguments) {
  std::vector<std::byte> bytes;
  for (const KernelArgument& argument : kernel.arguments) {
    if (!argument.hidden()) {
      bytes.resize(std::max<std::size_t>(bytes.size(), std::size_t{argument.offset} + argument.bytes));
      std::memcpy(bytes.data() + argument.offset, *arguments++, argument.bytes);
    }
  }
  return bytes;
}

Result<std::vector<std::byte>> kernarg_of(const KernelMetadata& kernel, const Geometry& geometry,
                                          std::span<const std::byte> explicit_bytes) {
  const std::uint64_t block = std::uint64_t{geometry.block[0]} * geometry.block[1] * geometry.block[2];
  if (block == 0 || block > kernel.most_threads) {
    return Error{ErrorKind::kUsage,
                 kernel.name + " allows blocks of " + std::to_string(kernel.most_threads) + " threads, not of " +
                     std::to_string(block),
                 "launch smaller blocks, or bound them at the kernel"};
  }
  std::vector<std::byte> bytes(kernel.kernarg_bytes);
  for (const KernelArgument& argument : kernel.arguments) {
    if (argument.hidden()) {
      AACO_TRY(fill_hidden(kernel, argument, geometry, bytes));
    } else if (argument.offset + argument.bytes > explicit_bytes.size()) {
      return Error{ErrorKind::kUsage, kernel.name + ": too few bytes of arguments", "pass all of them"};
    } else {
      std::memcpy(bytes.data() + argument.offset, explicit_bytes.data() + argument.offset, argument.bytes);
    }
  }
  return bytes;
}

}  // namespace aaco::amd
