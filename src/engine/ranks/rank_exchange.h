// SPDX-License-Identifier: MIT
// A worker role that shows that ranks work: a process each, on a device each, sums numbers with the others and looks at
// what comes back.
#pragma once

#include <cstdint>
#include <string>

#include "base/json/json_fwd.h"
#include "base/result.h"

namespace aaco {

namespace role {
inline constexpr const char* kRankExchange = "rank_exchange";  // RankExchange; the plan is a RankExchangePlan
}  // namespace role

struct RankExchangePlan {
  std::string backend = "cpu";  // rank r is on its device r
  int32_t ranks = 2;
  int64_t rounds = 1;  // 0: until it is ended
  int64_t count = 1024;
};

void to_json(Json& json, const RankExchangePlan& plan);
void from_json(const Json& json, RankExchangePlan& plan);

struct RankExchange {
  int64_t rank = 0;
  int64_t rounds = 0;
  double last = 0;  // element of the last sum
  std::string library;
};

void to_json(Json& json, const RankExchange& exchange);
void from_json(const Json& json, RankExchange& exchange);

struct WorkerTask;
// The process's number is its rank; each round goes into its journal as an iteration. Errors: the device's, the
// communicator's; kInvalid for a wrong sum.
Result<Json> rank_exchange_role(const WorkerTask& task);

}  // namespace aaco
