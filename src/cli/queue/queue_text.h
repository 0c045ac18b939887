// SPDX-License-Identifier: MIT
// What a queue run and a sweep look like on a terminal.
#pragma once

#include <string>

#include "experiment/queue/queue_sweep.h"

namespace aaco {

std::string queue_run_text(const QueueRunDocument& document);
std::string queue_sweep_text(const QueueSweepDocument& document);

}  // namespace aaco
