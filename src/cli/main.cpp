// SPDX-License-Identifier: MIT
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <iostream>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "cli/command/command.h"

#include "base/file.h"
#include "base/format.h"
#include "base/interrupt.h"
#include "base/memory/spill_file.h"
#include "base/side_note.h"
#include "base/text/characters.h"
#include "base/version.h"

namespace {

// Messages quote what the user's files hold.
int print_error(const aaco::Error& error) {
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
void keep_standard_descriptors() {
  for (const auto& [descriptor, flags] :
       {std::pair(STDIN_FILENO, O_RDONLY), std::pair(STDOUT_FILENO, O_RDONLY), std::pair(STDERR_FILENO, O_WRONLY)}) {
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) {
      (void)!::open("/dev/null", flags);  // the lowest number that is free, which is this one
    }
  }
}

int run(int argc, char** argv) {
  aaco::cli::Program program(
      "aaco",
      "AI Accelerator Compute Observatory: where did the time go, why did it change, what limits "
      "it, what to do next.",
      aaco::program_version());
  program.root().require_subcommand();
  aaco::set_examples(program.root(),
                     "  aaco doctor\n"
                     "  aaco run --model resnet50 --backend cpu --profile\n"
                     "  aaco COMMAND --help");
  aaco::Invocation invocation;
  invocation.command_line.assign(argv, argv + argc);
  for (const aaco::AddCommand add : aaco::all_commands()) {
    add(program.root(), invocation);
  }
  program.usual_subcommand("trace", "report");
  const aaco::Result<bool> over = program.parse(argc, argv);
  if (!over) {
    return print_error(over.error());
  }
  if (*over) {
    return written(0);
  }
  return invocation.error ? print_error(*invocation.error) : written(invocation.exit_code);
}

}  // namespace

int main(int argc, char** argv) {
  keep_standard_descriptors();
  aaco::catch_interrupts();
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond `ulimit -f` fails with EFBIG instead, which is reported
  std::signal(SIGPIPE, SIG_DFL);  // a reader that has seen enough ends the program, whatever the parent set
  try {
    return run(argc, argv);
  } catch (const aaco::SpillFailed& failed) {
    return print_error(failed.error());
  } catch (const std::bad_alloc&) {
    return print_error({aaco::ErrorKind::kResource, "out of memory", "close other programs, or use smaller inputs"});
  } catch (const std::exception& exception) {
    const auto* failed_write = dynamic_cast<const std::system_error*>(&exception);  // of fmt::print
    if (failed_write != nullptr && std::ferror(stdout) != 0) {
      return print_error(lost_output(failed_write->code().value()));
    }
    return print_error({aaco::ErrorKind::kBug, fmt::format("unexpected: {}", exception.what()),
                        "this is a bug in aaco: please report the command line"});
  }
}
