// SPDX-License-Identifier: MIT
#include "analysis/counters/compiled_formulas.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace aaco {

namespace {

std::string_view without_sum(std::string_view name) {
  constexpr std::string_view kSuffix = "_sum";
  return name.ends_with(kSuffix) ? name.substr(0, name.size() - kSuffix.size()) : name;
}

bool is_letter_of_term(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
}

// All ways to write the text without terms, in the order of preference. None where a term has no meaning there.
std::vector<std::string> written_out(const std::string& text, CounterArchitecture architecture) {
  const size_t at = text.find('@');
  if (at == std::string::npos) {
    return {text};
  }
  const auto end = std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(at) + 1, text.end(), is_letter_of_term);
  const auto length = static_cast<size_t>(end - text.begin()) - at;
  const std::string_view name = std::string_view(text).substr(at + 1, length - 1);
  std::vector<std::string> all;
  for (const auto& terms : {amd_terms(), nvidia_terms()}) {
    for (const CounterTerm& term : terms) {
      if (term.name == name && (term.architectures & set_of(architecture)) != 0) {
        std::string once = text;
        once.replace(at, length, term.expression);
        for (std::string& each : written_out(once, architecture)) {
          all.push_back(std::move(each));
        }
      }
    }
  }
  return all;
}

}  // namespace

size_t CounterNames::find(std::string_view name) const {
  const std::string_view wanted = without_sum(name);
  const auto position = std::lower_bound(sorted_.begin(), sorted_.end(), wanted,
                                         [](const auto& entry, std::string_view text) { return entry.first < text; });
  return position != sorted_.end() && position->first == wanted ? position->second : kNone;
}

size_t CounterNames::add(std::string_view name) {
  const size_t known = find(name);
  if (known != kNone) {
    return known;
  }
  names_.emplace_back(name);
  std::pair<std::string, size_t> entry(without_sum(name), names_.size() - 1);
  sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), entry), std::move(entry));
  return names_.size() - 1;
}

bool SlottedExpression::has_all(std::span<const double> of_slots) const {
  return std::none_of(slots.begin(), slots.end(), [&](size_t slot) { return std::isnan(of_slots[slot]); });
}

class FormulaCompiler {
 public:
  CompiledFormulas compile() {
    for (const LaunchQuantity& quantity : launch_quantities()) {
      all_.names.add(quantity.name);
    }
    for (const MachineQuantity& quantity : machine_quantities()) {
      all_.names.add(quantity.name);
    }
    all_.names.add(kDurationQuantity);
    for (size_t i = 0; i < kCounterArchitectures; ++i) {
      const auto architecture = static_cast<CounterArchitecture>(i);
      for (const auto& formulas :
           {amd_formulas(), amd_derived_formulas(), rocprof_compute_formulas(), nvidia_formulas()}) {
        for (const CounterFormula& formula : formulas) {
          if ((formula.architectures & set_of(architecture)) != 0) {
            add(formula, architecture);
          }
        }
      }
      std::stable_sort(all_.by_architecture[i].begin(), all_.by_architecture[i].end(),
                       [](const CompiledFormula& a, const CompiledFormula& b) { return a.metric < b.metric; });
    }
    return std::move(all_);
  }

 private:
  std::optional<SlottedExpression> slotted(const std::string& text) {
    Result<Expression> parsed = Expression::parse(text);
    if (!parsed) {
      return std::nullopt;
    }
    SlottedExpression slotted{std::move(*parsed), {}};
    for (const std::string& name : slotted.expression.names()) {
      slotted.slots.push_back(all_.names.add(name));
    }
    slotted.expression.number_names(slotted.slots);
    return slotted;
  }

  std::optional<SlottedExpression> roof(std::string_view text, CounterArchitecture architecture) {
    const std::vector<std::string> ways = written_out(std::string(text), architecture);
    return text.empty() || ways.empty() ? std::nullopt : slotted(ways.front());
  }

  void add(const CounterFormula& formula, CounterArchitecture architecture) {
    for (std::string& text : written_out(std::string(formula.expression), architecture)) {
      auto expression = slotted(text);
      if (expression) {
        all_.by_architecture[static_cast<size_t>(architecture)].push_back(
            {&formula, find_counter_metric(formula.metric), std::move(text), std::move(*expression),
             roof(formula.roof, architecture), roof(formula.measured, architecture)});
      }
    }
  }

  CompiledFormulas all_;
};

const CompiledFormulas& compiled_formulas() {
  static const CompiledFormulas kAll = FormulaCompiler().compile();
  return kAll;
}

}  // namespace aaco
