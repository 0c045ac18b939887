// SPDX-License-Identifier: MIT
#include "report/comparison/comparison_headline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "analysis/model_run/conclusions/bottleneck.h"
#include "base/format.h"
#include "report/json_fields.h"
#include "report/plot/chart.h"
#include "report/values.h"

namespace aaco::report {

namespace {

using Doubts = std::vector<std::pair<std::string, Tone>>;

std::string signed_duration(double ns) { return (ns < 0 ? "-" : "+") + format_duration_ns(std::abs(ns)); }

// "+5.2 % [+3.1 %, +7.4 %]": the change, and what it may be.
std::string change_words(double ratio, const std::optional<Interval>& interval) {
  return interval
             ? fmt::format("{} [{}, {}]", change_text(ratio), change_text(interval->low), change_text(interval->high))
             : change_text(ratio);
}

struct TermPart {
  const char* key;
  const char* more;  // in a run that became slower
  const char* less;
  int colour;
};
constexpr std::array kTerms{TermPart{"count_ns", "more executions", "fewer executions", 0},
                            TermPart{"time_ns", "slower executions", "faster executions", 1},
                            TermPart{"gap_ns", "more time between nodes", "less time between nodes", 2},
                            TermPart{"unexplained_ns", "not explained", "not explained", plot::kMuted}};

// What went the way of the change, of a change that was shown. What went against it is in the table of terms.
TimeBar terms_bar(const Json* terms, bool slower) {
  TimeBar bar;
  for (const TermPart& term : kTerms) {
    const double ns = terms == nullptr ? 0 : number_of(*terms, term.key).value_or(0);
    if (slower ? ns > 0 : ns < 0) {
      bar.parts.push_back({slower ? term.more : term.less, std::abs(ns), term.colour});
    }
  }
  return bar;
}

std::string largest_node(const Json* nodes, bool slower) {
  std::string name;
  double largest_ns = 0;
  for (const Json& node : nodes != nullptr && nodes->is_array() ? *nodes : Json::array()) {
    const double ns = number_of(node, "count_ns").value_or(0) + number_of(node, "time_ns").value_or(0);
    if ((slower ? ns : -ns) > std::abs(largest_ns)) {
      largest_ns = ns;
      name = text_of(node, "name");
    }
  }
  return name.empty() ? "" : fmt::format("largest part: {}, {} per inference", name, signed_duration(largest_ns));
}

std::string rerun_command(const Json& verdict) {
  const Json* sessions = member_of(verdict, "sessions");
  const std::string baseline = sessions == nullptr ? "" : text_of(*sessions, "baseline");
  const std::string test = sessions == nullptr ? "" : text_of(*sessions, "test");
  return baseline.empty() || test.empty() ? "aaco diff with --rerun"
                                          : fmt::format("aaco diff {} {} --rerun", baseline, test);
}

// Where figures other than the median decided.
std::string deciding_lines(const Json& verdict) {
  std::string titles;
  const Json* lines = member_of(verdict, "decided_by");
  for (const Json& title : lines != nullptr && lines->is_array() ? *lines : Json::array()) {
    titles += (titles.empty() ? "" : ", ") + format_json(title);
  }
  return titles;
}

// What would settle it, of a pair that nothing was shown of.
std::string settling_words(const Json& verdict) {
  const std::string advice = text_of(verdict, "recommendation");
  if (!advice.empty() && advice.find("--rerun") == std::string::npos) {  // its kind is not measured again by diff
    return "to settle it: " + advice;
  }
  const std::optional<double> needed = number_of(verdict, "processes_needed");
  if (text_of(verdict, "method") == "interleaved") {
    return needed ? fmt::format("to settle it: about {:.0f} processes a side", *needed)
                  : "the change is about as large as the least that counts: only another --min-effect decides it";
  }
  return fmt::format("to settle it: {}{}", rerun_command(verdict),
                     needed ? fmt::format(" (or about {:.0f} processes a side)", *needed) : "");
}

void add_findings(const Json& verdict, const Json* nodes, bool changed, bool slower, Headline& headline) {
  const auto cause =
      parse_word<BottleneckClass>(text_of(verdict, "suspected_cause")).value_or(BottleneckClass::kUnknown);
  const bool is_known = cause != BottleneckClass::kUnknown && cause != BottleneckClass::kUndetermined;
  const std::string advice = text_of(verdict, "recommendation");
  if (!changed) {
    const std::string name = text_of(verdict, "verdict");
    if (name == verdict_name(Verdict::kInvalid)) {
      headline.findings = {text_of(verdict, "reason"), advice};
    } else if (name == verdict_name(Verdict::kInconclusive)) {
      headline.findings.push_back(settling_words(verdict));
    }
    std::erase(headline.findings, "");
    return;
  }
  headline.findings.push_back(
      is_known ? fmt::format("suspected cause: {} ({})", bottleneck_words(cause), text_of(verdict, "cause_reason"))
               : "what caused it is undetermined; to find out: " + advice);
  if (std::string node = largest_node(nodes, slower); !node.empty()) {
    headline.findings.push_back(std::move(node));
  }
}

void add_texts(const Json& verdict, const char* key, Tone tone, Doubts& doubts) {
  const Json* texts = member_of(verdict, key);
  for (const Json& text : texts != nullptr && texts->is_array() ? *texts : Json::array()) {
    doubts.emplace_back(format_json(text), tone);
  }
}

Doubts doubts_of(const Json& verdict) {
  Doubts doubts;
  add_texts(verdict, "warnings", Tone::kWarning, doubts);
  add_texts(verdict, "not_recorded", Tone::kNeutral, doubts);
  std::string differing;
  const Json* differences = member_of(verdict, "lockbox_differences");
  for (const Json& difference : differences != nullptr && differences->is_array() ? *differences : Json::array()) {
    const Json* relevant = member_of(difference, "performance_relevant");
    if (relevant != nullptr && relevant->is_boolean() && relevant->get<bool>()) {
      differing += (differing.empty() ? "" : ", ") + text_of(difference, "key");
    }
  }
  if (!differing.empty()) {
    doubts.emplace_back("the sides differ in what can change a time: " + differing, Tone::kWarning);
  }
  return doubts;
}

size_t count_of(const PairComparisons& comparisons, Verdict verdict) {
  return static_cast<size_t>(std::ranges::count_if(
      comparisons.pairs, [&](const PairComparison& pair) { return pair.comparison.verdict == verdict; }));
}

std::string pair_words(const PairComparison& pair) {
  const Comparison& comparison = pair.comparison;
  return fmt::format("{}: {}{}", pair.configuration, verdict_words(comparison.verdict),
                     comparison.ratio ? ", " + change_words(*comparison.ratio, comparison.interval) : "");
}

// What would settle one that is open: the answer first, for a long line is cut.
std::string open_words(const PairComparison& pair, bool is_only) {
  const Comparison& comparison = pair.comparison;
  const std::string which = is_only ? "" : fmt::format(" ({})", pair.configuration);
  if (comparison.processes_needed) {
    return fmt::format("to settle it: run both sides again with --processes {}{}", *comparison.processes_needed, which);
  }
  return (comparison.remedy.empty() ? comparison.reason : comparison.remedy) + which;
}

// The largest changes that were shown, slower ones first, then what is open.
std::vector<std::string> pair_findings(const PairComparisons& comparisons) {
  std::vector<const PairComparison*> shown;
  std::vector<std::string> findings;
  for (const Verdict verdict : {Verdict::kRegressed, Verdict::kImproved}) {
    const auto first = static_cast<std::ptrdiff_t>(shown.size());
    for (const PairComparison& pair : comparisons.pairs) {
      if (pair.comparison.verdict == verdict) {
        shown.push_back(&pair);
      }
    }
    std::stable_sort(shown.begin() + first, shown.end(), [](const auto* a, const auto* b) {
      return std::abs(std::log(a->comparison.ratio.value_or(1))) > std::abs(std::log(b->comparison.ratio.value_or(1)));
    });
  }
  const auto open = std::ranges::find_if(comparisons.pairs, [](const PairComparison& pair) {
    return pair.comparison.verdict == Verdict::kInconclusive || pair.comparison.verdict == Verdict::kInvalid;
  });
  const bool has_open = open != comparisons.pairs.end();
  for (size_t i = 0; comparisons.pairs.size() > 1 && i < shown.size(); ++i) {
    if (findings.size() + (has_open ? 1 : 0) < Headline::kMostFindings) {
      findings.push_back(pair_words(*shown[i]));
    }
  }
  if (has_open) {
    findings.push_back(open_words(*open, comparisons.pairs.size() == 1));
  }
  return findings;
}

std::string pairs_figure(const PairComparisons& comparisons, const std::string& what) {
  if (comparisons.pairs.empty()) {
    return "Nothing could be compared: no configuration is on both sides";
  }
  if (comparisons.pairs.size() == 1) {
    return fmt::format("{} of {}", what, pair_words(comparisons.pairs.front()));
  }
  std::string text;
  for (const Verdict verdict :
       {Verdict::kRegressed, Verdict::kImproved, Verdict::kEquivalent, Verdict::kInconclusive, Verdict::kInvalid}) {
    if (const size_t count = count_of(comparisons, verdict); count > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, verdict_words(verdict));
    }
  }
  return fmt::format("{} of {}: {}", what, counted(comparisons.pairs.size(), "configuration", "configurations"), text);
}

}  // namespace

std::string verdict_words(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRegressed:
      return "slower";
    case Verdict::kImproved:
      return "faster";
    case Verdict::kEquivalent:
      return "as fast";
    case Verdict::kInconclusive:
      return "too noisy to tell";
    case Verdict::kInvalid:
      break;
  }
  return "not comparable";
}

Headline diff_headline(const Json& verdict, const Json* nodes) {
  const std::optional<Verdict> known = parse_verdict(text_of(verdict, "verdict"));
  const bool slower = known == Verdict::kRegressed;
  const bool changed = slower || known == Verdict::kImproved;
  Headline headline{.figure = known ? verdict_words(*known) : text_of(verdict, "verdict")};
  const std::string decided_by = deciding_lines(verdict);
  if (const std::optional<double> ratio = number_of(verdict, "ratio")) {
    headline.figure += fmt::format("{} {}", decided_by.empty() ? ": latency" : " in " + decided_by + "; median latency",
                                   change_words(*ratio, interval_of(verdict, "interval")));
  }
  if (changed) {
    headline.budget = terms_bar(member_of(verdict, "terms"), slower);
  }
  add_findings(verdict, nodes, changed, slower, headline);
  set_quality(doubts_of(verdict), headline);
  return headline;
}

Headline pairs_headline(const PairComparisons& comparisons, const std::string& what) {
  Headline headline{.figure = pairs_figure(comparisons, what), .findings = pair_findings(comparisons)};
  Doubts doubts;
  if (!comparisons.unpaired.empty()) {
    doubts.emplace_back(
        fmt::format("{} on one side only", counted(comparisons.unpaired.size(), "configuration", "configurations")),
        comparisons.allow_unpaired ? Tone::kNeutral : Tone::kWarning);
  }
  for (const PairComparison& pair : comparisons.pairs) {
    for (const std::string& warning : pair.comparison.warnings) {
      doubts.emplace_back(fmt::format("{}: {}", pair.configuration, warning), Tone::kWarning);
    }
  }
  set_quality(doubts, headline);
  return headline;
}

}  // namespace aaco::report
