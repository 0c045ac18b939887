// SPDX-License-Identifier: MIT
// A model and a batch for tests of the oracle, the same numbers on every machine.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "workload/training/oracle/adamw_oracle.h"
#include "workload/training/oracle/llama_oracle.h"

namespace aaco::test {

// Fewer key heads than heads, sizes that differ and a length that is no power of two: what is mixed up shows.
inline const OracleShape kOracleShape{
    .vocabulary = 13, .hidden = 24, .layers = 2, .heads = 6, .kv_heads = 2, .inner = 10, .epsilon = 1e-5, .theta = 100};

inline const OracleAdamW kOracleAdamW{.rate = 0.01, .beta1 = 0.9, .beta2 = 0.95, .epsilon = 1e-8, .weight_decay = 0.1};

inline constexpr int kOracleSteps = 5;

// In [-1, 1), of the engine's bits alone: the library's distributions are not the same everywhere.
inline double unit_value(std::mt19937_64& engine) { return static_cast<double>(engine() >> 11) * 0x1p-52 - 1; }

// Norms around 1, the rest around 0 and large enough that every part of the model matters.
inline std::vector<OracleTensor> oracle_model(const OracleShape& shape, uint64_t seed) {
  std::vector<OracleTensor> parameters = oracle_parameters(shape).value();
  std::mt19937_64 engine(seed);
  for (OracleTensor& parameter : parameters) {
    const bool norm = parameter.shape.size() == 1;
    for (double& value : parameter.values) {
      value = norm ? 1 + 0.3 * unit_value(engine) : 0.5 * unit_value(engine);
    }
  }
  return parameters;
}

inline OracleBatch oracle_batch(const OracleShape& shape, int64_t sequences, int64_t length, uint64_t seed) {
  OracleBatch batch;
  batch.sequences = sequences;
  batch.length = length;
  std::mt19937_64 engine(seed);
  for (int64_t token = 0; token < sequences * length; ++token) {
    batch.inputs.push_back(static_cast<int32_t>(engine() % static_cast<uint64_t>(shape.vocabulary)));
    batch.targets.push_back(static_cast<int32_t>(engine() % static_cast<uint64_t>(shape.vocabulary)));
  }
  return batch;
}

}  // namespace aaco::test
