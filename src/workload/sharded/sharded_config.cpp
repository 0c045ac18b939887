// SPDX-License-Identifier: MIT
#include "workload/sharded/sharded_config.h"

#include <fmt/format.h>

namespace aaco {

int32_t ShardedConfig::communicators() const {
  if (llama.ranks == 1) {
    return 0;
  }
  return mode == ShardedMode::kFullyShard && !one_communicator ? 2 : 1;
}

Result<void> check_sharded_config(const ShardedConfig& config) {
  AACO_TRY(check_llama_config(config.llama));
  if (config.llama.ranks < 1 || config.llama.rank < 0 || config.llama.rank >= config.llama.ranks) {
    return Error{ErrorKind::kUsage, fmt::format("rank {} of {}", config.llama.rank, config.llama.ranks),
                 "ranks count from 0"};
  }
  if (config.prefetch < 0 || config.prefetch > kMostPrefetch) {
    return Error{ErrorKind::kUsage, fmt::format("a prefetch of {} blocks", config.prefetch),
                 fmt::format("from 0 to {} are possible", kMostPrefetch)};
  }
  if (config.bucket_bytes < 1) {
    return Error{ErrorKind::kUsage, fmt::format("buckets of {} bytes", config.bucket_bytes), "1 byte at least"};
  }
  if (config.llama.fusions.beside) {
    return Error{ErrorKind::kUsage, "gradients of weights on a stream beside the backward pass, in a sharded step",
                 "leave the fusion \"beside\" out: collectives are what goes on beside the backward pass"};
  }
  return {};
}

}  // namespace aaco
