// SPDX-License-Identifier: MIT
// Numbers of processes and threads, which viewers tell them apart by: those of the files, and new ones where files do
// not number theirs or several use the same.
#pragma once

#include "export/layout.h"

namespace aaco {

void number_processes(const EventTable& events, Layout& layout);
void number_rows(const EventTable& events, Layout& layout);

}  // namespace aaco
