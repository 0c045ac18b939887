// SPDX-License-Identifier: MIT
#include "workload/training/oracle/adamw_oracle.h"

#include <cmath>

namespace aaco {

namespace {

bool of_sizes(const std::vector<std::vector<double>>& lists, const std::vector<OracleTensor>& parameters) {
  if (lists.size() != parameters.size()) {
    return false;
  }
  for (size_t i = 0; i < lists.size(); ++i) {
    if (lists[i].size() != parameters[i].values.size()) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<void> oracle_adamw_step(const OracleAdamW& settings, const std::vector<std::vector<double>>& gradients,
                               std::vector<OracleTensor>& parameters, OracleMoments& moments) {
  if (moments.step == 0) {
    moments.first.clear();
    for (const OracleTensor& parameter : parameters) {
      moments.first.emplace_back(parameter.values.size());
    }
    moments.second = moments.first;
  }
  if (!of_sizes(gradients, parameters) || !of_sizes(moments.first, parameters) ||
      !of_sizes(moments.second, parameters)) {
    return Error{ErrorKind::kBug, "oracle: gradients or moments are not of the parameters' sizes", ""};
  }
  moments.step += 1;
  const double correction1 = 1 - std::pow(settings.beta1, static_cast<double>(moments.step));
  const double correction2 = 1 - std::pow(settings.beta2, static_cast<double>(moments.step));
  for (size_t i = 0; i < parameters.size(); ++i) {
    for (size_t j = 0; j < gradients[i].size(); ++j) {
      const double gradient = gradients[i][j];
      double& first = moments.first[i][j];
      double& second = moments.second[i][j];
      double& value = parameters[i].values[j];
      first = settings.beta1 * first + (1 - settings.beta1) * gradient;
      second = settings.beta2 * second + (1 - settings.beta2) * gradient * gradient;
      value *= 1 - settings.rate * settings.weight_decay;
      value -= settings.rate * (first / correction1) / (std::sqrt(second / correction2) + settings.epsilon);
    }
  }
  return {};
}

}  // namespace aaco
