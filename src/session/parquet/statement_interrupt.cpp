// SPDX-License-Identifier: MIT
#include "session/parquet/statement_interrupt.h"

#include <array>
#include <cstdint>
#include <functional>
#include <poll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

#include "base/interrupt.h"

namespace aaco {

namespace {

// DuckDB forgets an interrupt when the next statement starts, so it is told again.
constexpr int kAgainMs = 50;

void watch(const DuckDbDatabase& database, int stop_fd) {
  std::array<pollfd, 2> files{{{stop_fd, POLLIN, 0}, {interrupted_fd(), POLLIN, 0}}};
  for (bool told = false; files[0].revents == 0;) {
    files[1].fd = told ? -1 : interrupted_fd();  // it stays readable
    ::poll(files.data(), files.size(), told ? kAgainMs : -1);
    if (interrupted()) {
      database.api().interrupt(database.connection());
      told = true;
    }
  }
}

}  // namespace

StatementInterrupt::StatementInterrupt(const DuckDbDatabase& database) : stop_fd_(::eventfd(0, EFD_CLOEXEC)) {
  if (stop_fd_ < 0) {
    return;
  }
  try {
    watcher_ = std::thread(watch, std::cref(database), stop_fd_);
  } catch (const std::system_error&) {  // no more threads: the second Ctrl-C ends the program
  }
}

StatementInterrupt::~StatementInterrupt() {
  if (watcher_.joinable()) {
    const uint64_t one = 1;
    (void)!::write(stop_fd_, &one, sizeof one);
    watcher_.join();
  }
  if (stop_fd_ >= 0) {
    ::close(stop_fd_);
  }
}

}  // namespace aaco
