// SPDX-License-Identifier: MIT
// What two nodes send each other, as it lies in the connection.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace aaco {

inline constexpr uint32_t kMostNodeNameBytes = 256;

using HandshakeLetters = std::array<char, 64>;
using HandshakeMagic = std::array<char, 8>;
inline constexpr HandshakeMagic kGreetingMagic{'a', 'a', 'c', 'o', 'n', 'o', 'd', 'e'};
inline constexpr HandshakeMagic kAnswerMagic{'a', 'a', 'c', 'o', 'j', 'o', 'i', 'n'};

// Rank 0's node speaks first.
struct NodeGreeting {
  HandshakeMagic magic = kGreetingMagic;
  HandshakeLetters version{};
  HandshakeLetters challenge{};
};

struct NodeAnswer {
  HandshakeMagic magic = kAnswerMagic;
  HandshakeLetters challenge{};
  HandshakeLetters proof{};
};

struct NodeVerdict {
  uint32_t accepted = 0;
  HandshakeLetters proof{};
};

// Before a message's name and content.
struct NodeMessageHeader {
  uint32_t kind = 0;
  uint32_t name_bytes = 0;
  int64_t number = 0;
  uint64_t content_bytes = 0;
};

HandshakeLetters letters_of(std::string_view text);
std::string text_of(const HandshakeLetters& letters);

// Random.
HandshakeLetters handshake_challenge();

// What only a side that knows the secret can say, and not what the other side says. `side`: "node" or "rank 0".
HandshakeLetters handshake_proof(std::string_view side, const std::string& secret, const HandshakeLetters& first,
                                 const HandshakeLetters& second);

}  // namespace aaco
