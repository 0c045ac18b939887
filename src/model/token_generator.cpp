// SPDX-License-Identifier: MIT
#include "model/token_generator.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace aaco {

namespace {

constexpr const char* kTokens = "input_ids";
constexpr const char* kMask = "attention_mask";
constexpr const char* kPositions = "position_ids";
constexpr const char* kLogits = "logits";

bool has(const std::vector<PortInfo>& ports, const std::string& name) {
  return std::any_of(ports.begin(), ports.end(), [&](const PortInfo& port) { return port.name == name; });
}

HostTensor integers(const std::string& name, std::vector<int64_t> dims, const std::vector<int64_t>& values) {
  HostTensor tensor;
  tensor.name = name;
  tensor.type = ElementType::kInt64;
  tensor.dims = std::move(dims);
  tensor.data.resize(values.size() * sizeof(int64_t));
  std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}

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

Result<DecoderPorts> find_decoder_ports(const std::vector<PortInfo>& inputs, const std::vector<PortInfo>& outputs) {
  DecoderPorts ports;
  const auto missing = [](const std::string& what) {
    return Error{ErrorKind::kUsage, fmt::format("--tokens: the model has no {}", what),
                 "it needs a decoder exported with its KV cache (built in: tiny-llama)"};
  };
  if (!has(inputs, kTokens)) {
    return missing("input named input_ids");
  }
  if (!has(outputs, kLogits)) {
    return missing("output named logits");
  }
  for (const PortInfo& input : inputs) {
    constexpr std::string_view kPast = "past_key_values.";
    if (!input.name.starts_with(kPast)) {
      continue;
    }
    const std::string present = "present." + input.name.substr(kPast.size());
    if (!has(outputs, present)) {
      return missing("output named " + present);
    }
    ports.past.push_back(input);
    ports.present_to_past[present] = input.name;
  }
  if (ports.past.empty()) {
    return missing("inputs named past_key_values.*");
  }
  ports.has_mask = has(inputs, kMask);
  ports.has_positions = has(inputs, kPositions);
  return ports;
}

Result<TokenGenerator> TokenGenerator::create(InferenceSession& session, std::vector<int64_t> prompt, int64_t batch) {
  AACO_ASSIGN(DecoderPorts ports, find_decoder_ports(session.inputs(), session.outputs()));
  return TokenGenerator(session, std::move(ports), std::move(prompt), batch);
}

Result<void> TokenGenerator::bind_common(const std::vector<int64_t>& tokens, int64_t past) {
  const int64_t fresh = static_cast<int64_t>(tokens.size()) / batch_;
  bound_[kTokens] = integers(kTokens, {batch_, fresh}, tokens);
  if (ports_.has_mask) {
    bound_[kMask] =
        integers(kMask, {batch_, past + fresh}, std::vector<int64_t>(static_cast<size_t>(batch_ * (past + fresh)), 1));
  }
  if (ports_.has_positions) {
    std::vector<int64_t> positions;
    for (int64_t i = 0; i < batch_ * fresh; ++i) {
      positions.push_back(past + i % fresh);
    }
    bound_[kPositions] = integers(kPositions, {batch_, fresh}, positions);
  }
  for (const char* name : {kTokens, kMask, kPositions}) {
    if (const auto tensor = bound_.find(name); tensor != bound_.end()) {
      AACO_TRY(session_->bind_input(tensor->second));
    }
  }
  length_ = past + fresh;
  return {};
}

Result<void> TokenGenerator::prefill() {
  for (const PortInfo& port : ports_.past) {
    HostTensor& empty = bound_[port.name];
    empty.name = port.name;
    empty.type = port.type;
    empty.dims = port.dims;
    for (size_t axis = 0; axis < empty.dims.size(); ++axis) {
      if (empty.dims[axis] < 0) {
        empty.dims[axis] = axis == 0 ? batch_ : 0;
      }
    }
    AACO_TRY(session_->bind_input(empty));
  }
  AACO_TRY(bind_common(prompt_, 0));
  return run_and_choose();
}

Result<void> TokenGenerator::step() {
  AACO_TRY(session_->feed_back(ports_.present_to_past));
  AACO_TRY(bind_common(last_, length_));
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
