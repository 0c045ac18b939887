// SPDX-License-Identifier: MIT
// Operations that follow indices. Which rows they follow is known on the device only: bytes are counted as if each
// index named another row, and as if none were out of range.
#include <algorithm>
#include <cstddef>

#include "device/ops/array_list.h"

namespace aaco {

OpWork work_of(const GatherArgs& args) {
  OpWork work;
  const int64_t used = std::min(args.count, args.table_rows) * args.cols;
  add_array(work, offsetof(GatherArgs, table), args.table, args.table_rows * args.cols, used, Access::kRead,
            args.dtype);
  add_array(work, offsetof(GatherArgs, ids), args.ids, args.count, Access::kRead, Dtype::kI32);
  add_array(work, offsetof(GatherArgs, out), args.out, args.count * args.cols, Access::kWrite, args.dtype);
  return work;
}

OpWork work_of(const GatherMeanArgs& args) {
  OpWork work;
  const int64_t indices = args.count * args.pool;
  work.flops = static_cast<double>(indices) * static_cast<double>(args.cols);
  add_array(work, offsetof(GatherMeanArgs, table), args.table, args.table_rows * args.cols,
            std::min(indices, args.table_rows) * args.cols, Access::kRead, args.dtype);
  add_array(work, offsetof(GatherMeanArgs, ids), args.ids, indices, Access::kRead, Dtype::kI32);
  add_array(work, offsetof(GatherMeanArgs, out), args.out, args.count * args.cols, Access::kWrite, args.dtype);
  return work;
}

// An addition per element.
OpWork work_of(const ScatterAddArgs& args) {
  OpWork work;
  work.order_free = false;
  work.flops = static_cast<double>(args.count) * static_cast<double>(args.cols);
  const int64_t used = std::min(args.count, args.out_rows) * args.cols;
  add_array(work, offsetof(ScatterAddArgs, in), args.in, args.count * args.cols, Access::kRead, args.in_dtype);
  add_array(work, offsetof(ScatterAddArgs, ids), args.ids, args.count, Access::kRead, Dtype::kI32);
  add_array(work, offsetof(ScatterAddArgs, out), args.out, args.out_rows * args.cols, used, Access::kReadWrite,
            Dtype::kF32);
  return work;
}

// An addition per element, and a share of it with a pool. Rows that no index names are written, too, but where it is
// added.
OpWork work_of(const GatherGradArgs& args) {
  OpWork work;
  const bool adds = args.accumulate != 0;
  work.flops = (args.pool > 1 ? 2 : 1) * static_cast<double>(args.count) * static_cast<double>(args.cols);
  const int64_t all = args.out_rows * args.cols;
  add_array(work, offsetof(GatherGradArgs, in), args.in, args.count / args.pool * args.cols, Access::kRead,
            args.in_dtype);
  add_array(work, offsetof(GatherGradArgs, ids), args.ids, args.count, Access::kRead, Dtype::kI32);
  add_array(work, offsetof(GatherGradArgs, out), args.out, all,
            adds ? std::min(args.count, args.out_rows) * args.cols : all, adds ? Access::kReadWrite : Access::kWrite,
            Dtype::kF32);
  return work;
}

OpWork work_of(const RouteArgs& args) {
  OpWork work;
  const int64_t pairs = int64_t{args.tokens} * args.choices;
  const int64_t places = args.capacity > 0 ? int64_t{args.experts} * args.capacity : pairs;
  add_array(work, offsetof(RouteArgs, experts_of), args.experts_of, pairs, Access::kRead, Dtype::kI32);
  add_array(work, offsetof(RouteArgs, counts), args.counts, args.experts, Access::kWrite, Dtype::kI32);
  add_array(work, offsetof(RouteArgs, offsets), args.offsets, args.experts + 1, Access::kWrite, Dtype::kI32);
  add_array(work, offsetof(RouteArgs, token_of), args.token_of, places, Access::kWrite, Dtype::kI32);
  add_array(work, offsetof(RouteArgs, place_of), args.place_of, pairs, Access::kWrite, Dtype::kI32);
  return work;
}

// A multiply-add per element and choice.
OpWork work_of(const CombineArgs& args) {
  OpWork work;
  const int64_t pairs = args.tokens * args.choices;
  work.flops = 2 * static_cast<double>(pairs) * static_cast<double>(args.cols);
  add_array(work, offsetof(CombineArgs, in), args.in, args.places * args.cols, std::min(pairs, args.places) * args.cols,
            Access::kRead, args.dtype);
  add_array(work, offsetof(CombineArgs, place_of), args.place_of, pairs, Access::kRead, Dtype::kI32);
  add_array(work, offsetof(CombineArgs, weights), args.weights, pairs, Access::kRead, args.dtype);
  add_array(work, offsetof(CombineArgs, out), args.out, args.tokens * args.cols, Access::kWrite, args.dtype);
  return work;
}

OpWork work_of(const AcceptArgs& args) {
  OpWork work;
  add_array(work, offsetof(AcceptArgs, draft), args.draft, int64_t{args.batch} * args.length, Access::kRead,
            Dtype::kI32);
  add_array(work, offsetof(AcceptArgs, chosen), args.chosen, int64_t{args.batch} * (args.length + 1), Access::kRead,
            Dtype::kI32);
  add_array(work, offsetof(AcceptArgs, accepted), args.accepted, args.batch, Access::kWrite, Dtype::kI32);
  add_array(work, offsetof(AcceptArgs, next), args.next, args.batch, Access::kWrite, Dtype::kI32);
  add_array(work, offsetof(AcceptArgs, total), args.total, 1, Access::kReadWrite, Dtype::kI32);
  return work;
}

}  // namespace aaco
