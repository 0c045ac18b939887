// SPDX-License-Identifier: MIT
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <memory>
#include <unistd.h>

#include "cli/command/progress_line.h"
#include "cli/llama/lab_text.h"
#include "cli/llama/llama_flags.h"
#include "cli/llama/llama_subcommands.h"

#include "base/format.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/version.h"
#include "kind/training/lab/kept_lab.h"

namespace aaco {

namespace {

struct Flags {
  LlamaFlags llama;
  std::string number;
  std::optional<std::string> answer;
  int64_t case_number = 1;
  bool solution = false;
  bool again = false;
};

// A lab that was answered right once, whatever with.
Result<bool> is_solved(const Flags& flags, const Lab& lab) {
  AACO_ASSIGN(const auto kept, read_kept_lab(flags.llama.request.sessions, lab.number));
  return kept && kept->solved;
}

Result<int> list(const Flags& flags, const Invocation& invocation) {
  Json json = Json::array();
  std::string text;
  for (const Lab& lab : all_labs()) {
    AACO_ASSIGN(const bool solved, is_solved(flags, lab));
    json.push_back({{"lab", lab.number},
                    {"title", lab.title},
                    {"session", lab.session},
                    {"minutes", lab.minutes},
                    {"question", lab.question},
                    {"solved", solved}});
    text += fmt::format("{:>2}  session {}  {:>2} minutes  {:<6}  {}\n    {}\n", lab.number, lab.session, lab.minutes,
                        solved ? "solved" : "", lab.title, lab.question);
  }
  fmt::print("{}", invocation.json ? indented_json_text(json) : text);
  return 0;
}

// As it was measured before, with the same setup, or now.
Result<LabMeasurement> measurement_of(const Lab& lab, const LabRequest& request, const Flags& flags,
                                      const Invocation& invocation) {
  const std::string& sessions = request.training.sessions;
  AACO_ASSIGN(const LabSetup setup, lab_setup(lab, request));
  const auto kept = read_kept_lab(sessions, lab.number);
  if (!kept && !flags.again) {
    return kept.error();
  }
  const std::optional<LabMeasurement> before = kept ? *kept : std::nullopt;
  if (before && !flags.again && before->setup == setup && before->version == program_version()) {
    return *before;
  }
  ProgressLine progress(invocation.quiet);
  AACO_ASSIGN(LabMeasurement measurement, measure_lab(lab, request, progress.callback()));
  progress.wipe();
  measurement.solved = before && before->solved;
  AACO_TRY(keep_lab(sessions, measurement));
  return measurement;
}

// Asked for where somebody can answer.
std::optional<std::string> ask() {
  fmt::print("Your answer: ");
  std::fflush(stdout);
  std::string line;
  return std::getline(std::cin, line) && !line.empty() ? std::optional(line) : std::nullopt;
}

// Its answer is asked for by the same flags: with others, as of --case, it would be that of another measurement.
std::string command_of(const Invocation& invocation) {
  std::string command = "aaco";
  for (size_t i = 1; i < invocation.command_line.size(); ++i) {
    if (invocation.command_line[i] != "--again") {
      command += " " + invocation.command_line[i];
    }
  }
  return command;
}

Result<int> run(const Flags& flags, const Invocation& invocation) {
  if (flags.number.empty()) {
    return list(flags, invocation);
  }
  AACO_ASSIGN(const Lab* lab, find_lab(flags.number));
  AACO_ASSIGN(TrainingRequest training, to_training_request(flags.llama, invocation));
  const LabRequest request{std::move(training), flags.case_number};
  AACO_ASSIGN(LabMeasurement measurement, measurement_of(*lab, request, flags, invocation));
  LabAttempt attempt{flags.answer, false, flags.solution};
  if (!invocation.json) {
    fmt::print("{}", lab_question_text(*lab, measurement));
    if (!attempt.answer && !attempt.solution && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1) {
      attempt.answer = ask();
    }
  }
  if (attempt.answer) {
    AACO_ASSIGN(attempt.right, is_right_answer(measurement, *attempt.answer));
  }
  if (attempt.right && !measurement.solved) {
    measurement.solved = true;
    AACO_TRY(keep_lab(request.training.sessions, measurement));
  }
  if (invocation.json) {
    fmt::print("{}", indented_json_text(lab_json(*lab, measurement, attempt)));
  } else {
    fmt::print("{}", attempt.answer || attempt.solution
                         ? lab_outcome_text(*lab, measurement, attempt)
                         : lab_invitation_text(*lab, measurement, command_of(invocation)));
  }
  return attempt.answer && !attempt.right ? 1 : 0;
}

std::vector<std::string> lab_numbers() {
  std::vector<std::string> numbers;
  for (const Lab& lab : all_labs()) {
    numbers.push_back(fmt::format("{}", lab.number));
  }
  return numbers;
}

}  // namespace

void add_llama_lab(cli::Command llama, Invocation& invocation) {
  cli::Command command =
      llama.add_subcommand("lab", "Exercises: a question, the measurement that answers it, your answer checked");
  auto flags = std::make_shared<Flags>();
  TrainingRequest& training = flags->llama.request;
  training.steps = 20;
  training.processes = 1;
  command.add_option("NUMBER", flags->number, "Which; none: list them")
      .type_name("{" + fmt::format("{}", fmt::join(lab_numbers(), ",")) + "}");
  command.add_option("--answer", flags->answer, "Your answer; exit code 1 where it is wrong").type_name("VALUE");
  command.add_flag("--solution", flags->solution, "Show the answer, and the way to it");
  command.add_flag("--again", flags->again, "Measure anew, in place of what is kept in SESSIONS/labs");
  command.add_option("--case", flags->case_number, {0, 1000}, "Of the regression hunt: what is planted")
      .capture_default_str();
  command.add_option("--preset", training.preset, "Sizes; default: small on a GPU, nano on a CPU");
  command
      .add_option("--device", flags->llama.device,
                  "As cpu:0, cuda:0 or hip:0; default: the first accelerator, else the CPU")
      .type_name("ID");
  command.add_option("--precision", training.precision, "fp32, tf32 or bf16").capture_default_str();
  command.add_option("--num-steps", training.steps, {1, 1'000'000}, "Measured steps of a process")
      .capture_default_str();
  command.add_option("--processes", training.processes, {1, 1000}, "Fresh processes").capture_default_str();
  command.add_option("--seed", training.seed, {}, "Of weights and data").capture_default_str();
  command.add_flag("--no-check", flags->llama.no_check, "Do not check the gates before measuring");
  add_sessions_folder(command, training.sessions);
  add_tag_flag(command, invocation);
  add_quiet_flag(command, invocation);
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco llama lab\n"
               "  aaco llama lab 3 --device cpu:0\n"
               "  aaco llama lab 3 --device cpu:0 --answer products\n"
               "  aaco llama lab 12 --device cpu:0 --case 2 --solution");
  command.callback([flags, &invocation] { invocation.finish(run(*flags, invocation)); });
}

}  // namespace aaco
