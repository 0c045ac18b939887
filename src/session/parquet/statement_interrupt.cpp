// SPDX-License-Identifier: MIT
#include "session/parquet/statement_interrupt.h"

#include <array>
#include <cerrno>
#include <poll.h>
#include <utility>

#include "base/interrupt.h"
#include "base/process/thread_start.h"

namespace aaco {

namespace {

// DuckDB forgets an interrupt when the next statement starts, so it is told again.
constexpr int kAgainMs = 50;

void watch(const DuckDbDatabase& database, int stop_fd) {
  std::array<pollfd, 2> files{{{stop_fd, POLLIN, 0}, {interrupted_fd(), POLLIN, 0}}};
  for (bool told = false; files[0].revents == 0;) {
    files[1].fd = told ? -1 : interrupted_fd();  // it stays readable
    const int ready = ::poll(files.data(), files.size(), told ? kAgainMs : -1);
    if (ready < 0 && errno != EINTR) {
      return;  // no memory: the program's own end comes a moment later (base/interrupt.h)
    }
    if (interrupted()) {
      database.api().interrupt(database.connection());
      told = true;
    }
  }
}

}  // namespace

StatementInterrupt::StatementInterrupt(const DuckDbDatabase& database) {
  auto stop = EventFile::create();
  if (!stop) {
    return;
  }
  stop_.emplace(std::move(*stop));
  if (auto started = start_thread([&database, stop_fd = stop_->descriptor()] { watch(database, stop_fd); })) {
    watcher_ = std::move(*started);
  }
}

StatementInterrupt::~StatementInterrupt() {
  if (watcher_.joinable()) {
    wake(stop_->descriptor());
    watcher_.join();
  }
}

}  // namespace aaco
