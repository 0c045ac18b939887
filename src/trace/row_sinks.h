// SPDX-License-Identifier: MIT
// Where rows go: a function per kind of row, found by the row's type, so that who pushes knows none of the others. Set
// them before anything is pushed.
#pragma once

#include <any>
#include <functional>
#include <map>
#include <typeindex>
#include <utility>

namespace aaco {

class RowSinks {
 public:
  // `sink` is called on the thread that pushes.
  template <class Row>
  void set(std::function<void(const Row&)> sink) {
    sinks_[typeid(Row)] = std::move(sink);
  }
  // A row of a kind that nobody takes is dropped.
  template <class Row>
  void push(const Row& row) const {
    if (const auto found = sinks_.find(typeid(Row)); found != sinks_.end()) {
      (*std::any_cast<std::function<void(const Row&)>>(&found->second))(row);
    }
  }

 private:
  std::map<std::type_index, std::any> sinks_;
};

}  // namespace aaco
