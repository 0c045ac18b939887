// SPDX-License-Identifier: MIT
#include "ingest/perfetto/inflate.h"

#include <zlib.h>

namespace aaco::perfetto {

std::optional<std::string> inflate(std::string_view compressed, size_t most_bytes) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) {
    return std::nullopt;
  }
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  std::string text;
  char piece[size_t{1} << 14];
  int state = Z_OK;
  while (state == Z_OK && text.size() <= most_bytes) {
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof(piece);
    state = ::inflate(&stream, Z_NO_FLUSH);
    text.append(piece, sizeof(piece) - stream.avail_out);
  }
  inflateEnd(&stream);
  return state == Z_STREAM_END && text.size() <= most_bytes ? std::optional(std::move(text)) : std::nullopt;
}

}  // namespace aaco::perfetto
