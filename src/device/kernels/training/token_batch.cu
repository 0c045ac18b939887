// SPDX-License-Identifier: MIT
#include "device/gpu/run_on_gpu.h"
#include "device/kernels/row_teams.h"

namespace aaco::gpu {

namespace {

struct TokenBatchKernelArgs {
  TokenBatchArgs op;
  uint32_t team = 1;
};

AACO_KERNEL void token_batch_kernel(TokenBatchKernelArgs args) {
  const TokenBatchArgs& op = args.op;
  const int64_t batch = op.clock->batch;
  const bool exists = batch >= 0 && batch < op.batches;
  const int32_t* tokens = op.tokens + (exists ? batch * op.sequences * (op.length + 1) : 0);
  for_row_items(args.team, op.sequences, op.length, [&](int64_t row, int64_t item) {
    const int32_t* from = tokens + row * (op.length + 1) + item;
    const int64_t to = row * op.length + item;
    op.inputs[to] = exists ? from[0] : -1;
    op.targets[to] = exists ? from[1] : -1;
  });
}

}  // namespace

void run_on_gpu(StreamContext& stream, const TokenBatchArgs& args) {
  if (args.sequences > 0 && args.length > 0) {
    const RowTeams teams = row_teams(args.sequences, args.length);
    launch<token_batch_kernel>(stream, teams.grid, kElementBlock, 0, TokenBatchKernelArgs{args, teams.team});
  }
}

}  // namespace aaco::gpu
