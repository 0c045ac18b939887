// SPDX-License-Identifier: MIT
// What a library of convolutions has left out: the bias of each plane, ReLU. In one pass; NaN stays.
#include "device/gpu/libraries/conv_library.h"
#include "device/ops/conv_shape.h"
#include "device/kernels/row_teams.h"

namespace aaco::gpu {

struct ConvBiasArgs {
  const void* bias = nullptr;
  void* out = nullptr;
  int64_t planes = 0;
  int64_t items = 0;  // of a plane: packs
  int32_t channels = 0;
  int32_t relu = 0;
  uint32_t team = 1;
};

template <class T, int kPack>
AACO_KERNEL void conv_bias_kernel(ConvBiasArgs args) {
  T* out = static_cast<T*>(args.out);
  for_row_items(args.team, args.planes, args.items, [&](int64_t plane, int64_t item) {
    const int64_t place = (plane * args.items + item) * kPack;
    const float bias = args.bias != nullptr ? load(static_cast<const T*>(args.bias), plane % args.channels) : 0;
    float values[kPack];
    load_pack<kPack>(out, place, values);
    AACO_UNROLL
    for (int i = 0; i < kPack; ++i) {
      values[i] += bias;
      values[i] = args.relu != 0 && values[i] < 0 ? 0 : values[i];
    }
    store_pack<kPack>(out, place, values);
  });
}

void add_bias_and_relu(StreamContext& stream, const ConvArgs& args) {
  with_float_type(args.dtype, [&]<class T>(T*) {
    constexpr int kPack = packed_count<T>();
    const int64_t pixels = shape_of(args).out_pixels();
    const bool in_packs = pixels % kPack == 0 && are_aligned(args.out);
    ConvBiasArgs kernel{args.bias, args.out, static_cast<int64_t>(args.n) * args.o, pixels, args.o, args.relu, 1};
    kernel.items = in_packs ? pixels / kPack : pixels;
    const RowTeams teams = row_teams(kernel.planes, kernel.items);
    kernel.team = teams.team;
    if (in_packs) {
      launch<conv_bias_kernel<T, kPack>>(stream, teams.grid, kElementBlock, 0, kernel);
    } else {
      launch<conv_bias_kernel<T, 1>>(stream, teams.grid, kElementBlock, 0, kernel);
    }
  });
}

}  // namespace aaco::gpu
