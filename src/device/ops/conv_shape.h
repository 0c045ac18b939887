// SPDX-License-Identifier: MIT
// The sizes that follow from a convolution's arguments; for host and device code.
#pragma once

#include "device/ops/gemm.h"

namespace aaco {

struct ConvShape {
  int32_t out_h = 0;  // 0 where the filter is larger than the padded image
  int32_t out_w = 0;
  int32_t filter = 0;

  constexpr int64_t out_pixels() const { return int64_t{out_h} * out_w; }
  constexpr int64_t filter_size() const { return filter; }  // c * r * s
};

constexpr ConvShape shape_of(const ConvArgs& args) {
  const int32_t room_h = args.h + 2 * args.pad - args.r;
  const int32_t room_w = args.w + 2 * args.pad - args.s;
  return {room_h < 0 ? 0 : room_h / args.stride + 1, room_w < 0 ? 0 : room_w / args.stride + 1,
          args.c * args.r * args.s};
}

}  // namespace aaco
