// SPDX-License-Identifier: MIT
// The fast path over JSON text: one pass, 16 bytes at a time, no copy and no tree. It takes what writers of traces
// write and gives up on the rest (an escape, an exponent, a syntax error), which a full parser then decides on.
#pragma once

#include <cstddef>
#include <string_view>

#include "ingest/chrome/raw_event.h"

namespace aaco::chrome {

// The text has this many readable bytes behind its end, none of them part of it.
inline constexpr size_t kPadding = 64;

// A place in the text. Functions return the place behind what they read, or null where they give up.
using Place = const char*;

Place skip_long_space(Place p);

// Stops at the first byte that is no white space, at the latest in the padding.
inline Place skip_space(Place p) {
  if (static_cast<unsigned char>(*p) > ' ') {
    return p;
  }
  if (*p == ' ' && static_cast<unsigned char>(p[1]) > ' ') {  // what most writers put behind ':' and ','
    return p + 1;
  }
  return skip_long_space(p);
}

// The closing quote of a text that has neither escapes nor control characters; `p` behind the opening one.
Place find_quote(Place p, Place end);

// Any value; its type was kAbsent.
Place scan_value(Place p, Place end, RawValue& value);

// By JSON's grammar, of any size and length.
bool is_number(std::string_view text);

// The end of the value at `p` by its quotes and brackets alone; null where the text ends before.
Place skip_value(Place p, Place end);

}  // namespace aaco::chrome
