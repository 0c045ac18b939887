// SPDX-License-Identifier: MIT
// Events of another writer on their way into a table, each made one of PyTorch's.
#pragma once

#include <string_view>

#include "ingest/chrome/read_events.h"
#include "ingest/kineto/kineto.h"

namespace aaco {

class MendedEvents : public chrome::EventSink {
 public:
  MendedEvents(EventDialect* dialect, chrome::EventSink& into) : dialect_(dialect), into_(into) {}

  bool take(const chrome::RawEvent& event) override {
    event_ = event;
    return !dialect_->mend(event_) || into_.take(event_);
  }
  void take_metadata(std::string_view key, std::string_view json) override { into_.take_metadata(key, json); }

 private:
  EventDialect* dialect_;
  chrome::EventSink& into_;
  chrome::RawEvent event_;
};

}  // namespace aaco
