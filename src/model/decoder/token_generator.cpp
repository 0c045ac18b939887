// SPDX-License-Identifier: MIT
#include "model/decoder/token_generator.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace aaco {

namespace {

constexpr const char* kLogits = "logits";

struct Choice {
  int64_t token = 0;
  bool finite = true;
};

Choice largest(const float* logits, int64_t count) {
  Choice choice;
  float best = -INFINITY;
  for (int64_t i = 0; i < count; ++i) {
    choice.finite = choice.finite && std::isfinite(logits[i]);
    if (logits[i] > best) {
      best = logits[i];
      choice.token = i;
    }
  }
  return choice;
}

// Halves are ordered as sign-magnitude integers: flipping the magnitude of negatives makes them comparable.
Choice largest(const uint16_t* logits, int64_t count) {
  Choice choice;
  int32_t best = INT32_MIN;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t bits = logits[i];
    choice.finite = choice.finite && (bits & 0x7C00) != 0x7C00;
    const int32_t key = (bits & 0x8000) != 0 ? -(bits & 0x7FFF) : bits;
    if (key > best) {
      best = key;
      choice.token = i;
    }
  }
  return choice;
}

}  // namespace

Result<TokenGenerator> TokenGenerator::create(InferenceSession& session, std::vector<int64_t> prompt, int64_t batch,
                                              std::vector<HostTensor> fixed) {
  AACO_ASSIGN(DecoderPorts ports, find_decoder_ports(session.inputs(), session.outputs()));
  TokenGenerator generator(session, std::move(ports), std::move(prompt), batch);
  for (HostTensor& tensor : fixed) {
    HostTensor& kept = generator.bound_[tensor.name];
    kept = std::move(tensor);
    AACO_TRY(session.bind_input(kept));
  }
  return generator;
}

// Caches are bound where they are empty; later ones come from the run before.
Result<void> TokenGenerator::bind_step(const std::vector<int64_t>& tokens, int64_t past) {
  const DecoderStep step{batch_, past, static_cast<int64_t>(tokens.size()) / batch_};
  for (const DecoderInput& input : ports_.inputs) {
    const bool cache = input.role == DecoderRole::kPast || input.role == DecoderRole::kEncoderPast;
    if (input.role == DecoderRole::kFixed || (cache && past > 0)) {
      continue;
    }
    HostTensor& tensor = bound_[input.port.name];
    AACO_ASSIGN(tensor, decoder_tensor(input, step, tokens));
    AACO_TRY(session_->bind_input(tensor));
  }
  length_ = past + step.fresh;
  return {};
}

Result<void> TokenGenerator::prefill() {
  AACO_TRY(bind_step(prompt_, 0));
  AACO_TRY(run_and_choose());
  return ports_.encoder_present_to_past.empty() ? Result<void>() : session_->feed_back(ports_.encoder_present_to_past);
}

Result<void> TokenGenerator::step() {
  AACO_TRY(session_->feed_back(ports_.present_to_past));
  AACO_TRY(bind_step(last_, length_));
  return run_and_choose();
}

Result<void> TokenGenerator::run_and_choose() {
  const std::string logits = kLogits;
  AACO_TRY(session_->bind_outputs(std::span(&logits, 1)));
  if (!session_->run()) {
    return session_->failure();
  }
  AACO_ASSIGN(const OutputView view, session_->view_output(kLogits));
  if (view.dims.size() != 3 || view.dims[0] != batch_ || view.dims[1] < 1 ||
      (view.type != ElementType::kFloat && view.type != ElementType::kFloat16)) {
    return Error{ErrorKind::kUsage, "output logits is not [batch, sequence, vocabulary] of float32 or float16",
                 "export the decoder with such logits"};
  }
  const int64_t vocabulary = view.dims[2];
  last_.clear();
  for (int64_t row = 0; row < batch_; ++row) {
    const int64_t at = (row * view.dims[1] + view.dims[1] - 1) * vocabulary;
    const Choice choice = view.type == ElementType::kFloat
                              ? largest(reinterpret_cast<const float*>(view.data) + at, vocabulary)
                              : largest(reinterpret_cast<const uint16_t*>(view.data) + at, vocabulary);
    finite_ = finite_ && choice.finite;
    last_.push_back(choice.token);
  }
  return {};
}

}  // namespace aaco
