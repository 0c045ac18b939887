// SPDX-License-Identifier: MIT
// A decoder model with a KV cache (decoder_ports.h): one generation step after another with the cache kept where the
// provider has it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/decoder/decoder_ports.h"
#include "model/runtime/inference_session.h"

namespace aaco {

// Greedy generation over a session. A sequence is prefill() followed by step()s.
class TokenGenerator {
 public:
  // `prompt`: batch x prompt tokens, row by row. `fixed`: the inputs whose role is kFixed.
  static Result<TokenGenerator> create(InferenceSession& session, std::vector<int64_t> prompt, int64_t batch,
                                       std::vector<HostTensor> fixed = {});

  // Starts a sequence anew: empty cache, the whole prompt. After it one token a row has been chosen.
  Result<void> prefill();
  // One token more: feeds the last one, with the cache of all before.
  Result<void> step();

  const std::vector<int64_t>& last_tokens() const { return last_; }
  // False once a logit was NaN or infinite.
  bool finite() const { return finite_; }

 private:
  TokenGenerator(InferenceSession& session, DecoderPorts ports, std::vector<int64_t> prompt, int64_t batch)
      : session_(&session), ports_(std::move(ports)), prompt_(std::move(prompt)), batch_(batch) {}
  Result<void> bind_step(const std::vector<int64_t>& tokens, int64_t past);
  Result<void> run_and_choose();

  InferenceSession* session_;
  DecoderPorts ports_;
  std::vector<int64_t> prompt_;
  int64_t batch_;
  int64_t length_ = 0;  // tokens in the cache
  std::vector<int64_t> last_;
  bool finite_ = true;
  std::map<std::string, HostTensor> bound_;  // inputs must stay while bound
};

}  // namespace aaco
