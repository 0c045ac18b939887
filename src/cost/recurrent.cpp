// SPDX-License-Identifier: MIT
// RNN, GRU and LSTM with their default activations: inputs X, W [directions, gates x hidden, input], R [directions,
// gates x hidden, hidden], B; of the LSTM also P, the peepholes. Every time step of every sequence counts, also where
// sequence_lens cuts some short.
#include <array>
#include <string>

#include "cost/flops_rule.h"
#include "cost/shape_arithmetic.h"

namespace aaco::cost {
namespace {

// `pointwise`: FLOPs per hidden unit and step beside the products: sums of the two products, activations, state update.
double recurrent(const OpShape& op, double gates, double pointwise) {
  const double steps = input_dim(op, 0, 0) * input_dim(op, 0, 1);  // sequence x batch, in either layout
  const double directions = input_dim(op, 2, 0);
  const double hidden = input_dim(op, 2, 2);
  const double input = input_dim(op, 1, 2);
  const double bias = has_input(op, 3) ? gates : 0;
  return steps * directions * hidden * (2 * gates * (input + hidden) + pointwise + bias);
}

// Given activations are the default ones, once a direction; others have other counts.
bool has_default_activations(const OpShape& op, const std::string& defaults) {
  const auto given = op.string_attributes.find("activations");
  return given == op.string_attributes.end() || given->second == defaults || given->second == defaults + "," + defaults;
}

double rnn(const OpShape& op) { return has_default_activations(op, "Tanh") ? recurrent(op, 1, 1 + 1) : kUnknown; }

// three sums, two sigmoids, tanh, the reset product, (1 - z) n + z h
double gru(const OpShape& op) {
  return has_default_activations(op, "Sigmoid,Tanh") ? recurrent(op, 3, 3 + 8 + 1 + 1 + 4) : kUnknown;
}

// four sums, three sigmoids, two tanh, f c + i g, o times the second tanh; three peepholes that are multiplied and
// added
double lstm(const OpShape& op) {
  const double peepholes = has_input(op, 7) ? 6 : 0;
  return has_default_activations(op, "Sigmoid,Tanh,Tanh") ? recurrent(op, 4, 4 + 12 + 2 + 3 + 1 + peepholes) : kUnknown;
}

}  // namespace

std::span<const FlopsRule> recurrent_rules() {
  static constexpr auto kRules = std::to_array<FlopsRule>({{"RNN", rnn}, {"GRU", gru}, {"LSTM", lstm}});
  return kRules;
}

}  // namespace aaco::cost
