// SPDX-License-Identifier: MIT
#include "guard/output/answer_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unistd.h>
#include <vector>

#include "base/format.h"
#include "base/text/characters.h"

namespace aaco {

namespace {

constexpr size_t kMostMarkdownBytes = 60'000;
constexpr size_t kMostRows = 200;
constexpr size_t kMostTold = 10;  // samples whose reasons a comment holds
constexpr size_t kMostLineCharacters = 500;
constexpr int kChartHalf = 15;  // characters on either side of "no change"
constexpr size_t kShortCommit = 10;

Tone tone_of(Verdict verdict) {
  return verdict == Verdict::kRegressed                                     ? Tone::kBad
         : verdict == Verdict::kImproved || verdict == Verdict::kEquivalent ? Tone::kGood
                                                                            : Tone::kUncertain;
}

const char* mark_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRegressed:
      return "\xE2\x9D\x8C";  // a cross
    case Verdict::kImproved:
    case Verdict::kEquivalent:
      return "\xE2\x9C\x85";  // a tick
    default:
      return "\xE2\x9A\xA0\xEF\xB8\x8F";  // a warning
  }
}

std::string side_text(ValueKind kind, const std::optional<double>& value) {
  return value ? value_text(kind, *value) : "no data";
}

std::string line_change(const ChangeLine& line) {
  if (!line.ratio) {
    return line.unavailable;
  }
  // A throughput falls where the time per inference rises.
  const bool rate = line.id == "throughput";
  const auto of_ratio = [&](double ratio) { return change_text(rate ? 1 / ratio : ratio); };
  std::string text = of_ratio(*line.ratio);
  if (line.interval) {
    const Interval& interval = *line.interval;
    text += fmt::format(" [{}, {}]", of_ratio(rate ? interval.high : interval.low),
                        of_ratio(rate ? interval.low : interval.high));
  }
  return text;
}

std::string short_commit(const std::string& commit) {
  return commit.empty() ? "of an unknown commit" : printable(commit.substr(0, kShortCommit));
}

// "baseline 1f3a77c0de, test 4be2a90112".
std::string sides_text(const GuardAnswer& answer) {
  const std::string baseline = answer.baseline         ? "baseline " + short_commit(answer.baseline->commit)
                               : answer.measured_again ? "baseline measured beside the test"
                                                       : "no baseline";
  return fmt::format("{}, test {}", baseline, short_commit(answer.test.commit));
}

// A cell of a Markdown table, and text between its characters.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : printable(text)) {
    switch (c) {
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '&':
        safe += "&amp;";
        break;
      case '|':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '@':
      case '#':
      case '\\':
      case '~':
        safe += fmt::format("&#{};", static_cast<int>(c));  // nobody is called and nothing is linked
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string gate_verdict(const JudgedGate& gate) {
  return gate.passed ? "holds" : gate.is_open ? verdict_name(Verdict::kInvalid) : "does not hold";
}

std::string measured_text(const GuardAnswer& answer) {
  if (answer.measured_again) {
    return fmt::format("measured {} of fresh processes in turns, {} in {:.0f} s",
                       counted(answer.pairs, "pair", "pairs"), counted(answer.looks, "look", "looks"), answer.seconds);
  }
  if (!answer.not_again.empty()) {
    return "not measured again: " + answer.not_again;
  }
  return answer.baseline ? "compared with the recording" : "nothing was compared";
}

}  // namespace

std::string interval_chart(const ShownChange& change) {
  const double reach = std::max({0.1, std::abs(change.interval.low - 1), std::abs(change.interval.high - 1)});
  const auto column = [&](double ratio) {
    const double place = (ratio - 1) / reach * kChartHalf;
    return static_cast<size_t>(kChartHalf + std::lround(std::clamp(place, -1.0 * kChartHalf, 1.0 * kChartHalf)));
  };
  std::string chart(2 * kChartHalf + 1, '.');
  const size_t low = column(change.interval.low);
  const size_t high = column(change.interval.high);
  std::fill(chart.begin() + static_cast<std::ptrdiff_t>(low), chart.begin() + static_cast<std::ptrdiff_t>(high) + 1,
            '=');
  chart[kChartHalf] = '|';
  chart[low] = '[';
  chart[high] = ']';
  chart[column(change.ratio)] = 'o';
  return fmt::format("{:+.0f} % {} {:+.0f} %", -100 * reach, chart, 100 * reach);
}

std::vector<AnswerRow> answer_rows(const GuardAnswer& answer) {
  std::vector<AnswerRow> rows;
  for (const JudgedSample& sample : answer.samples) {
    const Comparison& comparison = sample.comparison;
    rows.push_back({sample.name, sample.figure, side_text(sample.baseline_kind, sample.baseline_value),
                    side_text(sample.kind, sample.test_value), change_words(sample), verdict_name(comparison.verdict)});
    for (const ChangeLine& line : comparison.lines) {
      if (line.unavailable.empty()) {
        rows.push_back({sample.name, line.title, side_text(ValueKind::kTime, line.baseline_ns),
                        side_text(ValueKind::kTime, line.test_ns), line_change(line), verdict_name(line.verdict)});
      }
    }
  }
  for (const JudgedGate& gate : answer.gates) {
    rows.push_back({"gate", gate.words, "", gate.value_words, "", gate_verdict(gate)});
  }
  return rows;
}

std::string answer_text(const GuardAnswer& answer) {
  const Verdict verdict = verdict_of(answer);
  std::string text = fmt::format("{}  {}\n", answer.test.place.subject,
                                 toned(printable(headline_of(answer)), tone_of(verdict), STDOUT_FILENO));
  for (const JudgedSample& sample : answer.samples) {
    for (const std::string& line : why_lines(sample)) {
      text += "  " + printable(line) + "\n";
    }
    if (!sample.comparison.remedy.empty() && exit_code_of(answer) != 0) {
      text += "  " + printable(sample.comparison.remedy) + "\n";
    }
    for (const std::string& warning : sample.comparison.warnings) {
      text += "  warning: " + printable(warning) + "\n";
    }
  }
  std::vector<std::vector<std::string>> table{{"sample", "figure", "before", "after", "change", "verdict"}};
  for (const AnswerRow& row : answer_rows(answer)) {
    table.push_back({row.sample, row.figure, row.before, row.after, row.change, row.verdict});
  }
  if (table.size() > 1) {
    text += "\n" + format_table(std::move(table));
  }
  for (const std::string& file : answer.damaged) {
    text += "warning: " + printable(file) + "\n";
  }
  text += fmt::format("\n{}; {}\n", sides_text(answer), printable(measured_text(answer)));
  return text;
}

std::string answer_markdown(const GuardAnswer& answer) {
  std::string text = fmt::format("### {} {}: {}\n\n", mark_of(verdict_of(answer)), escaped(answer.test.place.subject),
                                 escaped(headline_of(answer)));
  size_t told = 0;
  for (const JudgedSample& sample : answer.samples) {
    if (const auto change = shown_change(sample); change && answer.samples.size() == 1) {
      const bool rate = sample.kind == ValueKind::kRate;
      text += fmt::format("```text\n{} {} {}\n```\n\n", rate ? "slower" : "faster", interval_chart(*change),
                          rate ? "faster" : "slower");
    }
    const bool tell = sample.comparison.verdict != Verdict::kEquivalent && ++told <= kMostTold;
    for (const std::string& line : tell ? why_lines(sample) : std::vector<std::string>()) {
      text += "- " + escaped(shorten(line, kMostLineCharacters)) + "\n";
    }
  }
  text += "\n| sample | figure | before | after | change | verdict |\n|---|---|---:|---:|---|---|\n";
  size_t rows = 0;
  for (const AnswerRow& row : answer_rows(answer)) {
    const std::string line =
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", escaped(row.sample), escaped(row.figure), escaped(row.before),
                    escaped(row.after), escaped(row.change), escaped(row.verdict));
    if (++rows > kMostRows || text.size() + line.size() > kMostMarkdownBytes) {
      text += "\nThe table was cut here: it is longer than a comment may be.\n";
      break;
    }
    text += line;
  }
  for (const std::string& file : answer.damaged) {
    text += "\nWarning: " + escaped(shorten(file, kMostLineCharacters)) + "\n";
  }
  return text + fmt::format("\n<sub>aaco guard; {}; machine {}; {}</sub>\n", escaped(measured_text(answer)),
                            escaped(answer.test.place.machine), escaped(sides_text(answer)));
}

}  // namespace aaco
