// SPDX-License-Identifier: MIT
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <iostream>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "cli/command/command.h"
#include "cli/first_words.h"

#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "base/format.h"
#include "base/interrupt.h"
#include "base/process/limit_error.h"
#include "base/process/stack.h"
#include "base/side_note.h"
#include "base/text/characters.h"
#include "base/unfinished_path.h"
#include "base/version.h"
#include "kind/all_kinds.h"
#include "session/bundle/bundle_lock.h"
#include "session/bundle/written_files.h"
#include "session/session_tags.h"

namespace {

// Messages quote what the user's files hold. Behind an interrupt a system call that it cut short is not what happened.
int print_error(const aaco::Error& problem) {
  const aaco::Error error =
      aaco::interrupted() ? aaco::Error{aaco::ErrorKind::kInterrupted, "interrupted", ""} : problem;
  aaco::note("{} {}\n", aaco::toned("aaco:", aaco::Tone::kBad, STDERR_FILENO), aaco::printable(error.message));
  if (!error.hint.empty()) {
    aaco::note("hint: {}\n", aaco::printable(error.hint));
  }
  return error.exit_code();
}

// Whatever the reason, a closed descriptor among them, what was asked for did not arrive.
aaco::Error lost_output(int error_number) {
  aaco::Error error = aaco::file_error("standard output", "write", error_number);
  error.kind = aaco::ErrorKind::kResource;
  return error;
}

// `exit_code`, or that of an error where what was printed did not arrive.
int written(int exit_code) {
  std::cout.flush();
  return std::fflush(stdout) == 0 && std::cout ? exit_code : print_error(lost_output(errno));
}

// A descriptor that the parent closed would be the next file's that is opened, and what is printed would go into that
// file. What is written to a closed standard output still fails, with EBADF, since it is opened for reading.
aaco::Result<void> keep_standard_descriptors() {
  for (const auto& [descriptor, flags] :
       {std::pair(STDIN_FILENO, O_RDONLY), std::pair(STDOUT_FILENO, O_RDONLY), std::pair(STDERR_FILENO, O_WRONLY)}) {
    // The lowest number that is free is this one.
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF && ::open("/dev/null", flags) != descriptor) {
      return aaco::limit_error("open /dev/null in place of a closed descriptor", errno);
    }
  }
  return {};
}

aaco::Result<void> prepare_process() {
  aaco::prepare_stack();
  AACO_TRY(keep_standard_descriptors());
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond `ulimit -f` fails with EFBIG instead, which is reported
  std::signal(SIGPIPE, SIG_DFL);  // a reader that has seen enough ends the program, whatever the parent set
  std::signal(SIGCHLD, SIG_DFL);  // where the parent ignored it, children could not be waited for
  return aaco::catch_interrupts();
}

// What is thrown where nothing may be: in a destructor or a thread.
[[noreturn]] void end_on_terminate() {
  aaco::Error error{aaco::ErrorKind::kBug, "unexpected: a thread was left",
                    "this is a bug in aaco: please report the command line"};
  if (const std::exception_ptr thrown = std::current_exception()) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& exception) {
      error = aaco::error_of(exception);
    } catch (...) {
      error.message = "unexpected: an exception of a library";
    }
  }
  aaco::remove_unfinished_paths();
  ::_exit(print_error(error));
}

int run(int argc, char** argv) {
  aaco::cli::Program program(
      "aaco",
      "AI Accelerator Compute Observatory: where did the time go, why did it change, what limits "
      "it, what to do next.",
      aaco::program_version());
  program.root().require_subcommand();
  aaco::set_examples(program.root(),
                     "  aaco run resnet50 --profile\n"
                     "  aaco trace.json.gz\n"
                     "  aaco diff BEFORE AFTER\n"
                     "  aaco COMMAND --help");
  if (argc < 2 || std::string_view(argv[1]) != "worker") {
    aaco::TemporaryFolder::remove_dead();
  }
  const aaco::KeptBundleLocks locks;  // until the last report is written
  aaco::Invocation invocation;
  invocation.command_line.assign(argv, argv + argc);
  const aaco::TagsOfNewSessions tags(invocation.tags);
  for (const aaco::AddCommand add : aaco::all_commands()) {
    add(program.root(), invocation);
  }
  program.usual_subcommand("trace", "report");
  program.first_words(aaco::first_steps);
  program.guess(aaco::meant_command);
  const aaco::Result<bool> over = program.parse(argc, argv);
  if (!over) {
    return print_error(over.error());
  }
  if (*over) {
    return written(0);
  }
  const auto removed = locks.first_removed();
  if (removed && (!invocation.error || invocation.error->kind == aaco::ErrorKind::kUsage)) {
    return print_error(aaco::lost_recording(*removed, "was removed"));
  }
  return invocation.error ? print_error(*invocation.error) : written(invocation.exit_code);
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(end_on_terminate);
  if (const aaco::Result<void> prepared = prepare_process(); !prepared) {
    return print_error(prepared.error());
  }
  try {
    aaco::use_all_kinds();
    return run(argc, argv);
  } catch (const std::exception& exception) {
    const auto* failed_write = dynamic_cast<const std::system_error*>(&exception);  // of fmt::print
    if (failed_write != nullptr && std::ferror(stdout) != 0) {
      return print_error(lost_output(failed_write->code().value()));
    }
    return print_error(aaco::error_of(exception));
  }
}
