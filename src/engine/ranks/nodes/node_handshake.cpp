// SPDX-License-Identifier: MIT
#include "engine/ranks/nodes/node_handshake.h"

#include <algorithm>
#include <fmt/format.h>
#include <random>

#include "base/files/file.h"

namespace aaco {

HandshakeLetters letters_of(std::string_view text) {
  HandshakeLetters letters{};
  std::copy_n(text.begin(), std::min(text.size(), letters.size()), letters.begin());
  return letters;
}

std::string text_of(const HandshakeLetters& letters) {
  const auto end = std::find(letters.begin(), letters.end(), '\0');
  return {letters.begin(), end};
}

HandshakeLetters handshake_challenge() {
  std::random_device random;
  std::string text;
  for (int i = 0; i < 8; ++i) {
    text += fmt::format("{:08x}", random());
  }
  return letters_of(text);
}

HandshakeLetters handshake_proof(std::string_view side, const std::string& secret, const HandshakeLetters& first,
                                 const HandshakeLetters& second) {
  return letters_of(sha256_of(fmt::format("{}\n{}\n{}\n{}", side, text_of(first), text_of(second), secret)));
}

}  // namespace aaco
