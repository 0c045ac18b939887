// SPDX-License-Identifier: MIT
// What each input of a decoder with a KV cache is for. Names are those of Hugging Face's exports (input_ids,
// attention_mask, past_key_values.*, use_cache_branch of merged decoders, encoder_hidden_states of those with an
// encoder) and of ONNX Runtime's own (past_sequence_length, seqlens_k).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/tensor.h"

namespace aaco {

enum class DecoderRole {
  kTokens,       // [batch, new tokens]
  kMask,         // [batch, past + new tokens], ones
  kPositions,    // past, past + 1, ... along the last axis
  kTokenTypes,   // zeros as the tokens
  kPast,         // a cache, empty before the prompt
  kEncoderPast,  // the encoder's: made by the prompt's run, the same ever after
  kCacheBranch,  // whether there is a cache: false for the prompt, then true
  kPastLength,   // one number
  kTotalLength,  // one number: past + new tokens
  kLastIndex,    // past + new tokens - 1 for each row
  kFixed,        // the same in each run: the caller makes it
};

struct DecoderInput {
  PortInfo port;
  DecoderRole role = DecoderRole::kFixed;
};

struct DecoderPorts {
  std::vector<DecoderInput> inputs;                            // in the model's order
  std::map<std::string, std::string> present_to_past;          // output -> input, fed back after each run
  std::map<std::string, std::string> encoder_present_to_past;  // after the prompt's run only
};

// Errors: kUsage when the model is no such decoder, naming what is missing, and for an input that cannot be fed, with
// its name and the reason (and an empty hint).
Result<DecoderPorts> find_decoder_ports(const std::vector<PortInfo>& inputs, const std::vector<PortInfo>& outputs);

// The lengths of one run.
struct DecoderStep {
  int64_t batch = 1;
  int64_t past = 0;   // tokens in the cache
  int64_t fresh = 1;  // new tokens a row
};

// What an input has in a run, in its declared type; no such tensor for kFixed, and for caches only the empty one.
// `tokens`: batch x fresh. Errors: kUsage where the model fixes a size to another one.
Result<HostTensor> decoder_tensor(const DecoderInput& input, const DecoderStep& step,
                                  const std::vector<int64_t>& tokens);

// "ones, as long as the cache and the new tokens": what decoder_tensor fills in, for people.
std::string decoder_values(DecoderRole role);

}  // namespace aaco
