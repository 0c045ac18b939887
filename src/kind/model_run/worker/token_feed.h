// SPDX-License-Identifier: MIT
// What --tokens feeds a decoder with, decided before it runs.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "model/inputs/input_values.h"
#include "model/tensor.h"

namespace aaco {

struct TokenFeed {
  std::vector<int64_t> prompt;  // batch x prompt tokens, row by row
  int64_t batch = 1;
  std::vector<HostTensor> fixed;  // inputs that are the same in each run
  std::vector<InputNote> notes;   // of every input, with the sizes that the prompt's run has
};

// Errors: those of find_decoder_ports and of make_inputs; kUsage for an input that cannot be fed, with a command line
// that runs the model without --tokens, and for one that is given (--input, --shape) though --tokens feeds it.
Result<TokenFeed> make_token_feed(const std::vector<PortInfo>& inputs, const std::vector<PortInfo>& outputs,
                                  InputRequest request, int64_t prompt_tokens);

}  // namespace aaco
