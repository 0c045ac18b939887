// SPDX-License-Identifier: MIT
#include "cli/llama/lab_text.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>
#include <unistd.h>

#include "base/format.h"
#include "base/json/json.h"

namespace aaco {

namespace {

constexpr size_t kWidth = 100;

// Broken into lines at blanks, each behind `indent`.
std::string wrapped(const std::string& text, const std::string& indent) {
  std::string lines;
  std::string line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && indent.size() + line.size() + 1 + word.size() > kWidth) {
      lines += indent + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return lines + indent + line + "\n";
}

std::string indented_lines(const std::string& text) {
  std::string lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    lines += "  " + line + "\n";
  }
  return lines;
}

std::string tolerance_text(const LabMeasurement& measurement) {
  return format_percent(measurement.tolerance, measurement.tolerance < 0.01 ? 1 : 0);
}

std::string expected_text(const Lab& lab, const LabMeasurement& measurement) {
  if (!measurement.value) {
    return fmt::format("{}", fmt::join(measurement.words, " or "));
  }
  const std::string unit = std::string_view(lab.unit).starts_with("in ") ? std::string(lab.unit).substr(3) : "";
  const bool whole = *measurement.value == std::round(*measurement.value) && std::abs(*measurement.value) < 1e15;
  return fmt::format(
      "{}{}{} ({})", whole ? fmt::format("{:.0f}", *measurement.value) : fmt::format("{:.6g}", *measurement.value),
      unit.empty() ? "" : " ", unit, measurement.tolerance > 0 ? "within " + tolerance_text(measurement) : "exactly");
}

std::string explanation_text(const Lab& lab, const LabMeasurement& measurement) {
  return fmt::format(
      "\nThe way\n{}\nWhat it means\n{}\nWhat it does not tell\n{}\nTry next\n{}\nOn AMD (compiled, not run)\n{}",
      wrapped(measurement.way, "  "), wrapped(measurement.meaning, "  "), wrapped(lab.not_told, "  "),
      indented_lines(lab.next), wrapped(lab.on_amd, "  "));
}

}  // namespace

std::string lab_question_text(const Lab& lab, const LabMeasurement& measurement) {
  const LabSetup& setup = measurement.setup;
  std::string text =
      fmt::format("Lab {}: {} (session {}, {} minutes)\n\n{}\nMeasured: preset {}, {}, on {}\n", lab.number, lab.title,
                  lab.session, lab.minutes, wrapped(lab.learn, ""), setup.preset, setup.precision, setup.device);
  size_t widest = 0;
  for (const LabFact& fact : measurement.facts) {
    widest = std::max(widest, fact.name.size());
  }
  for (const LabFact& fact : measurement.facts) {
    text += fmt::format("  {:<{}}  {}\n", fact.name, widest, fact.value);
  }
  if (!measurement.table.empty()) {
    text += "\n" + indented_lines(format_table(measurement.table));
  }
  for (const std::string& session : measurement.sessions) {
    text += fmt::format("  session {}\n", session);
  }
  return text + "\n" + wrapped(std::string("Question: ") + lab.question, "");
}

std::string lab_invitation_text(const Lab& lab, const LabMeasurement& measurement, const std::string& command) {
  const std::string how =
      !measurement.value
          ? fmt::format("one of {}", fmt::join(measurement.choices, ", "))
          : fmt::format("a number{}{}{}", *lab.unit == '\0' ? "" : " ", lab.unit,
                        measurement.tolerance > 0 ? ", within " + tolerance_text(measurement) : ", exact");
  return fmt::format("Answer:   {} --answer VALUE   ({})\n          --solution shows it, --again measures anew\n",
                     command, how);
}

std::string lab_outcome_text(const Lab& lab, const LabMeasurement& measurement, const LabAttempt& attempt) {
  std::string text;
  if (attempt.answer && attempt.right) {
    text = fmt::format("\n{}: {}; measured or counted: {}\n", toned("Right", Tone::kGood, STDOUT_FILENO),
                       *attempt.answer, expected_text(lab, measurement));
  } else if (attempt.answer) {
    text = fmt::format("\n{}: {}\n{}", toned("Wrong", Tone::kBad, STDOUT_FILENO), *attempt.answer,
                       wrapped(fmt::format("Hint: {}.", lab.hint), ""));
  }
  if (attempt.solution && !attempt.right) {
    text += fmt::format("\nSolution: {}\n", expected_text(lab, measurement));
  }
  return attempt.right || attempt.solution ? text + explanation_text(lab, measurement) : text;
}

Json lab_json(const Lab& lab, const LabMeasurement& measurement, const LabAttempt& attempt) {
  Json json = {{"lab", lab.number},
               {"title", lab.title},
               {"session", lab.session},
               {"minutes", lab.minutes},
               {"learn", lab.learn},
               {"setup", measurement.setup},
               {"facts", measurement.facts},
               {"table", measurement.table},
               {"sessions", measurement.sessions},
               {"question", lab.question},
               {"unit", lab.unit},
               {"tolerance", measurement.tolerance},
               {"choices", measurement.choices},
               {"answer", attempt.answer},
               {"right", attempt.answer ? Json(attempt.right) : Json()}};
  if (attempt.right || attempt.solution) {
    json["expected"] = {{"value", measurement.value}, {"words", measurement.words}};
    json["way"] = measurement.way;
    json["meaning"] = measurement.meaning;
    json["not_told"] = lab.not_told;
    json["next"] = lab.next;
  } else if (attempt.answer) {
    json["hint"] = lab.hint;
  }
  return json;
}

}  // namespace aaco
