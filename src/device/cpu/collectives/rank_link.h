// SPDX-License-Identifier: MIT
// Sockets among processes that are the ranks of one communicator, of this machine or of several: a star, rank 0 in the
// middle. A process that ends closes its ends, so that whoever waits for it is told at once, whatever ended it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/net/socket.h"
#include "base/result.h"
#include "device/communicator.h"

namespace aaco {

class RankLink {
 public:
  // Waits for all ranks, a minute at most. Errors: kResource; kUsage for ranks that make no sense.
  static Result<RankLink> join(const RankId& id, int32_t rank, int32_t ranks);

  // Whether the id was made for ranks of one machine.
  bool is_of_one_machine() const { return of_one_machine_; }

  // All ranks' bytes, in the order of ranks; all give as many. `what` names the exchange, and must be the same for all.
  // Errors: kResource where a rank has ended or failed; kUsage where ranks do not agree. No exchange works after one.
  Result<std::vector<std::byte>> exchange(const std::string& what, std::span<const std::byte> own);
  // The others fail, those that wait and those that come.
  void abandon();

 private:
  RankLink(int32_t rank, int32_t ranks) : rank_(rank), ranks_(ranks) {}
  Result<void> listen(const RankId& id);
  Result<void> accept_all(const Socket& listening, const RankId& id);
  Result<void> connect(const RankId& id);
  static Result<Socket> connect_here(const RankId& id, int64_t deadline_ns);
  Result<std::vector<std::byte>> gather(const std::string& what, std::span<const std::byte> own);
  Result<std::vector<std::byte>> scatter(const std::string& what, std::span<const std::byte> own);

  int32_t rank_;
  int32_t ranks_;
  bool of_one_machine_ = true;
  std::vector<Socket> sockets_;  // of rank 0 by rank (none for itself); of the others one, to rank 0
};

}  // namespace aaco
