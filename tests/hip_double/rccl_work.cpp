// SPDX-License-Identifier: MIT
// What collectives do to memory: the arithmetic of RCCL's double, on the host.
#include <atomic>
#include <cstring>
#include <string>
#include <utility>

#include "device/ops/dtype.h"
#include "rccl_double.h"

namespace aaco::hip_double {

namespace {
std::atomic<int> misuses{0};
}  // namespace

int misuses_so_far() { return misuses; }

int misuse(const char* what) {
  ++misuses;
  say(std::string("rccl: ") + what);
  return kInvalidUsage;
}

size_t bytes_of(int type) { return type == kUint8 ? 1 : type == kFloat16 || type == kBfloat16 ? 2 : 4; }

namespace {

double value_at(const void* data, size_t i, int type) {
  switch (type) {
    case kUint8:
      return static_cast<const uint8_t*>(data)[i];
    case kInt32:
      return static_cast<const int32_t*>(data)[i];
    case kFloat16:
      return to_float(static_cast<const Half*>(data)[i]);
    case kBfloat16:
      return to_float(static_cast<const Bfloat16*>(data)[i]);
    default:
      return static_cast<const float*>(data)[i];
  }
}

void put(void* data, size_t i, int type, double value) {
  switch (type) {
    case kUint8:
      static_cast<uint8_t*>(data)[i] = static_cast<uint8_t>(value);
      break;
    case kInt32:
      static_cast<int32_t*>(data)[i] = static_cast<int32_t>(value);
      break;
    case kFloat16:
      static_cast<Half*>(data)[i] = to_half(static_cast<float>(value));
      break;
    case kBfloat16:
      static_cast<Bfloat16*>(data)[i] = to_bfloat16(static_cast<float>(value));
      break;
    default:
      static_cast<float*>(data)[i] = static_cast<float>(value);
      break;
  }
}

using Bytes = std::vector<char>;

Bytes copy_of(const void* data, size_t bytes) {
  const auto* first = static_cast<const char*>(data);
  return {first, first + bytes};
}

// What ranks send is read before anything is written: they may send what they receive into.
void run_collective(const std::vector<Call>& by_rank) {
  const Call& any = by_rank.front();
  const size_t ranks = by_rank.size();
  const size_t sent = any.kind == Kind::kReduceScatter ? any.count * ranks : any.count;
  std::vector<Bytes> parts;
  for (const Call& call : by_rank) {
    parts.push_back(copy_of(call.send, sent * bytes_of(any.type)));
  }
  const size_t bytes = any.count * bytes_of(any.type);
  for (size_t rank = 0; rank < ranks; ++rank) {
    auto* const receive = static_cast<char*>(by_rank[rank].receive);
    if (any.kind == Kind::kBroadcast) {
      std::memcpy(receive, parts[static_cast<size_t>(any.peer)].data(), bytes);
      continue;
    }
    for (size_t from = 0; any.kind == Kind::kAllGather && from < ranks; ++from) {
      std::memcpy(receive + from * bytes, parts[from].data(), bytes);
    }
    const size_t first = any.kind == Kind::kReduceScatter ? rank * any.count : 0;
    for (size_t i = 0; any.kind != Kind::kAllGather && i < any.count; ++i) {
      double sum = 0;
      for (const Bytes& part : parts) {
        sum += value_at(part.data(), first + i, any.type);
      }
      put(receive, i, any.type, sum);
    }
  }
}

// Sends and receives of each pair of ranks, in their order.
bool run_transfers(const std::vector<Call>& calls) {
  std::map<std::pair<int, int>, std::vector<std::pair<size_t, Bytes>>> sent;
  for (const Call& call : calls) {
    if (call.kind == Kind::kSend) {
      sent[{call.comm->rank, call.peer}].emplace_back(call.count, copy_of(call.send, call.count * bytes_of(call.type)));
    }
  }
  for (const Call& call : calls) {
    if (call.kind == Kind::kReceive) {
      auto& waiting = sent[{call.peer, call.comm->rank}];
      if (waiting.empty() || waiting.front().first != call.count) {
        return false;
      }
      std::memcpy(call.receive, waiting.front().second.data(), waiting.front().second.size());
      waiting.erase(waiting.begin());
    }
  }
  return true;
}

bool is_transfer(const Call& call) { return call.kind == Kind::kSend || call.kind == Kind::kReceive; }

}  // namespace

// The n-th collective of each rank belong together.
hipError_t run_group(const std::vector<Call>& calls) {
  std::map<int, std::vector<Call>> by_rank;
  for (const Call& call : calls) {
    if (!is_transfer(call)) {
      by_rank[call.comm->rank].push_back(call);
    }
  }
  for (size_t n = 0; !by_rank.empty() && n < by_rank.begin()->second.size(); ++n) {
    std::vector<Call> together;
    for (const auto& [rank, own] : by_rank) {
      if (n >= own.size() || own[n].count != own.front().count || own[n].kind != by_rank.begin()->second[n].kind) {
        misuse("ranks do not agree on a collective");
        return hipErrorLaunchFailure;
      }
      together.push_back(own[n]);
    }
    if (together.size() != static_cast<size_t>(together.front().comm->ranks)) {
      misuse("a collective lacks a rank");
      return hipErrorLaunchFailure;
    }
    run_collective(together);
  }
  if (!run_transfers(calls)) {
    misuse("a receive without its send");
    return hipErrorLaunchFailure;
  }
  return hipSuccess;
}

}  // namespace aaco::hip_double
