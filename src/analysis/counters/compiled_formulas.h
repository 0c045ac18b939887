// SPDX-License-Identifier: MIT
// The formulas of an architecture, ready to be evaluated: terms are written out, names are numbered.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/counters/expression.h"
#include "analysis/counters/formulas.h"

namespace aaco {

// Every name that a formula uses: a counter, or a quantity (quantities.h). "_sum" at the end of a counter's name means
// nothing: profilers that sum over instances themselves leave it out.
class CounterNames {
 public:
  static constexpr size_t kNone = SIZE_MAX;

  size_t find(std::string_view name) const;  // kNone where no formula uses it
  std::string_view operator[](size_t slot) const { return names_[slot]; }
  size_t size() const { return names_.size(); }

 private:
  friend class FormulaCompiler;
  size_t add(std::string_view name);

  std::vector<std::string> names_;
  std::vector<std::pair<std::string, size_t>> sorted_;  // without "_sum"
};

// Over the slots of CounterNames.
struct SlottedExpression {
  Expression expression;
  std::vector<size_t> slots;  // that it uses

  bool has_all(std::span<const double> of_slots) const;  // NaN is none
};

struct CompiledFormula {
  const CounterFormula* formula = nullptr;
  size_t metric = 0;  // index of counter_metrics()
  std::string text;   // terms written out
  SlottedExpression expression;
  std::optional<SlottedExpression> roof;
  std::optional<SlottedExpression> measured;
};

struct CompiledFormulas {
  CounterNames names;
  std::vector<CompiledFormula> by_architecture[kCounterArchitectures];  // by metric, preferred ones first
};

// Made once. All of them parse: a test says so.
const CompiledFormulas& compiled_formulas();

}  // namespace aaco
