// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "workload/inference/speculation.h"

namespace aaco {

namespace {

Error wrong(std::string message) {
  return {ErrorKind::kInvalid, std::move(message),
          "the device computes something else than asked for: check its health, then report it"};
}

// Of a sequence that has a context of so many tokens: rows of its caches, tokens gained, in so many iterations.
Result<void> check_counts(const SpeculationShape& shape, int64_t cached, int64_t gained, int64_t iterations) {
  const int64_t most = shape.length + 1;
  if (gained < iterations || gained > iterations * most) {
    return wrong(fmt::format("{} tokens gained in {} iterations of 1 to {}", gained, iterations, most));
  }
  const bool known = shape.anew || iterations < shape.rounds;  // has not started over yet
  const int64_t expected = shape.context + (shape.anew ? 0 : gained);
  const int64_t since = iterations % shape.rounds;
  if (known ? cached != expected : cached < shape.context + since || cached > shape.context + since * most) {
    return wrong(fmt::format("the caches hold {} rows: a context of {}, and {} tokens gained in {} iterations", cached,
                             shape.context, gained, iterations));
  }
  return {};
}

}  // namespace

Result<void> check_speculation(DeviceReader& reader, const SpeculatedTokens& tokens, const Tensor& gained,
                               const SpeculationShape& shape, int64_t iterations) {
  AACO_ASSIGN(const std::vector<int32_t> draft, reader.integers(tokens.draft));
  AACO_ASSIGN(const std::vector<int32_t> chosen, reader.integers(tokens.chosen));
  AACO_ASSIGN(const std::vector<int32_t> accepted, reader.integers(tokens.accepted));
  AACO_ASSIGN(const std::vector<int32_t> next, reader.integers(tokens.next));
  AACO_ASSIGN(const std::vector<int32_t> cached, reader.integers(tokens.cached));
  AACO_ASSIGN(const std::vector<int32_t> total, reader.integers(gained));
  size_t same = 0;
  while (same < draft.size() && draft[same] == chosen[same]) {
    ++same;
  }
  if (accepted.front() != static_cast<int32_t>(same) || next.front() != chosen[same]) {
    return wrong(fmt::format("accepted {} tokens and went on with {}: both models agree on {}, then comes {}",
                             accepted.front(), next.front(), same, chosen[same]));
  }
  for (const int32_t token : chosen) {
    if (token < 0 || token >= shape.vocabulary) {
      return wrong(fmt::format("the main model chose token {} of {}", token, shape.vocabulary));
    }
  }
  return check_counts(shape, cached.front(), total.front(), iterations);
}

}  // namespace aaco
