// SPDX-License-Identifier: MIT
// What the messages between nodes carry as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"

namespace aaco {

// A node, as it presents itself to rank 0's: its ranks are numbered one after the other.
struct NodeFacts {
  int64_t first_rank = 0;
  int64_t local_ranks = 1;
  int64_t ranks = 1;                 // of all nodes
  std::vector<std::string> devices;  // of its ranks
};

// Where rank 0's node listens.
struct RendezvousAddress {
  std::string host;
  int port = 0;
};

void to_json(Json& json, const NodeFacts& facts);
void from_json(const Json& json, NodeFacts& facts);

// How a rank ended, as text and back. `died`: a signal ended it; set where it failed. Errors: the rank's; kResource
// where the text is no such thing.
std::string text_of_end(const Result<Json>& end, bool died = false);
Result<Json> end_of_text(const std::string& text, bool* died = nullptr);

}  // namespace aaco
