// SPDX-License-Identifier: MIT
// Packets of one writer: texts are written once and known by number from then on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/output_file.h"
#include "export/perfetto/message.h"
#include "ingest/perfetto/track_event.h"
#include "record/events/event_table.h"

namespace aaco::perfetto {

class Packets {
 public:
  Packets(OutputFile& file, const StringTable& strings)
      : file_(file), strings_(strings), written_(strings.size()), jsons_(strings.size()) {}

  void begin_sequence();
  void descriptor(const Message& track);  // TrackDescriptor

  // An event in the making; end_event() writes it.
  void begin_event(EventType type, uint64_t track);
  void name(StringId name);
  void name(std::string_view name) { event_.text(23, name); }
  void category(std::string_view category);
  void correlation(int64_t id) { event_.number(52, static_cast<uint64_t>(id)); }
  void flow(uint64_t id, bool ends) { event_.fixed(ends ? 48 : 47, id); }
  void annotation(std::string_view prefix, const Argument& argument, std::string_view suffix = "");
  void annotation(std::string_view name, int64_t value);
  void annotation(std::string_view name, StringId text);
  void json_annotation(std::string_view name, std::string_view json);
  void value(const Argument& number);  // of a counter
  void end_event(int64_t time_ns);

  uint64_t mended() const { return mended_; }  // distinct texts that were no UTF-8
  uint64_t cut() const { return cut_; }        // and that no packet holds

 private:
  // Of InternedData.
  enum class Table : uint8_t { kName, kKey, kText };
  enum class Json : uint8_t { kUnseen, kGood, kBad };

  uint64_t intern(Table table, StringId id);
  std::string_view readable(StringId id);
  bool is_json(StringId id);
  void set_value(const Argument& argument);
  void packet(const Message& fields);

  OutputFile& file_;
  const StringTable& strings_;
  std::vector<uint8_t> written_;  // a bit for each table, by text
  std::vector<Json> jsons_;
  Message event_;
  Message interned_;  // for the event in the making
  Message annotation_;
  Message fields_;
  std::string mended_text_;
  uint64_t mended_ = 0;
  uint64_t cut_ = 0;
};

}  // namespace aaco::perfetto
