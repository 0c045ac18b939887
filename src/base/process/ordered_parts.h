// SPDX-License-Identifier: MIT
// Work in parts, done by several threads at once, whose results are taken one after the other in the order of the
// parts: what comes out does not depend on the threads.
#pragma once

#include <cstddef>
#include <functional>

namespace aaco {

// As many threads as have something to do: at most the processors that this process may use, and 8.
size_t workers_for(size_t parts);

// Calls work(worker, part) for each part, then take(worker, part) of the same worker: parts in order, one at a time. A
// worker takes before it works on. False of take() ends it, as interrupted() does; what either throws is thrown here.
// With one worker all of it is done by the caller; he is one of several, too.
void do_in_order(size_t parts, size_t workers, const std::function<void(size_t worker, size_t part)>& work,
                 const std::function<bool(size_t worker, size_t part)>& take);

}  // namespace aaco
