// SPDX-License-Identifier: MIT
// What a workload can be given on the command line (--param k=v), with its defaults.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "device/ops/gemm.h"

namespace aaco {

struct Parameter {
  const char* name;
  const char* default_value;
  const char* meaning;  // one line; allowed values where they are words
};

// Element type and, for fp32, how GEMMs multiply: "fp32", "tf32", "bf16", "fp16".
struct Precision {
  Dtype dtype = Dtype::kF32;
  MathMode math = MathMode::kF32;
};

class Parameters {
 public:
  // Values for each of `declared`: what `given` says, else the default. Errors: kUsage for a name that is not declared,
  // naming those that are, and for what is no number where the default is.
  static Result<Parameters> make(std::span<const Parameter> declared, const std::map<std::string, std::string>& given,
                                 std::string_view workload);

  // Errors: kUsage for text that is no integer, or out of [low, high].
  Result<int64_t> integer(const std::string& name, int64_t low, int64_t high) const;
  Result<double> real(const std::string& name, double low, double high) const;
  // One of `words`; gives its index.
  Result<size_t> choice(const std::string& name, std::span<const char* const> words) const;
  Result<Precision> precision() const;  // of the parameter "dtype"

  const std::map<std::string, std::string>& values() const { return values_; }

 private:
  Result<std::string> value_of(const std::string& name) const;

  std::map<std::string, std::string> values_;
};

// The declaration of "dtype", the same in all workloads.
inline constexpr Parameter kDtypeParameter{"dtype", "fp32", "fp32, tf32, bf16 or fp16"};

}  // namespace aaco
