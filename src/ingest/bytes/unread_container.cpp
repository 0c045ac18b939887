// SPDX-License-Identifier: MIT
#include "ingest/bytes/unread_container.h"

#include <algorithm>
#include <iterator>

namespace aaco {

namespace {

using std::string_view_literals::operator""sv;

struct Signature {
  std::string_view begin;
  size_t at;  // of `begin`
  UnreadContainer container;
};

constexpr Signature kSignatures[] = {
    {"\xFD\x37zXZ\0"sv, 0, {"compressed with xz", "decompress it: xz -d FILE"}},
    {"PK\x03\x04"sv, 0, {"a zip archive", "unpack it: unzip FILE"}},
    {"PK\x05\x06"sv, 0, {"an empty zip archive", "make it again, with the trace in it"}},
    {"BZh"sv, 0, {"compressed with bzip2", "decompress it: bzip2 -d FILE"}},
    {"\x04\x22\x4D\x18"sv, 0, {"compressed with lz4", "decompress it: lz4 -d FILE"}},
    {"\x02\x21\x4C\x18"sv, 0, {"compressed with lz4", "decompress it: lz4 -d FILE"}},
    {"7z\xBC\xAF\x27\x1C"sv, 0, {"a 7z archive", "unpack it: 7z x FILE"}},
    {"Rar!\x1A\x07"sv, 0, {"a RAR archive", "unpack it: unrar x FILE"}},
    {"LZIP"sv, 0, {"compressed with lzip", "decompress it: lzip -d FILE"}},
    {"\x1F\x9D"sv, 0, {"compressed with compress", "decompress it: uncompress FILE"}},
    {"\xFF\x06\0\0sNaPpY"sv, 0, {"compressed with snappy", "decompress it: snzip -d FILE"}},
    {"\x1F\x8B"sv, 0, {"compressed with gzip twice", "decompress it once: gzip -d FILE"}},
    {"\x28\xB5\x2F\xFD"sv, 0, {"compressed twice", "decompress it once: zstd -d FILE or gzip -d FILE"}},
    {"ustar"sv, 257, {"a tar archive", "unpack it, then name the folder: tar -xf FILE"}},
    {"\xFF\xFE\0\0"sv, 0, {"a text in UTF-32", "convert it: iconv -f UTF-32 -t UTF-8 FILE"}},
    {"\0\0\xFE\xFF"sv, 0, {"a text in UTF-32", "convert it: iconv -f UTF-32 -t UTF-8 FILE"}},
};

}  // namespace

std::optional<UnreadContainer> unread_container(std::string_view head) {
  const auto position = std::find_if(std::begin(kSignatures), std::end(kSignatures), [&](const Signature& signature) {
    return head.size() > signature.at && head.substr(signature.at).starts_with(signature.begin);
  });
  return position == std::end(kSignatures) ? std::nullopt : std::optional(position->container);
}

}  // namespace aaco
