// SPDX-License-Identifier: MIT
// Where rows that are collected go: a function per kind of row, chosen when the code is compiled, so that a row costs
// no look-up. Who has many hands them over in one call.
#pragma once

#include <functional>
#include <span>
#include <tuple>
#include <utility>

#include "record/collected_rows.h"

namespace aaco {

template <class Rows>
class RowSinksOf;

// Set them before anything is pushed.
template <class... Rows>
class RowSinksOf<RowSet<Rows...>> {
 public:
  template <class Row>
  using Sink = std::function<void(std::span<const Row>)>;

  // `sink` is called on the thread that pushes.
  template <class Row>
  void set(Sink<Row> sink) {
    std::get<Sink<Row>>(sinks_) = std::move(sink);
  }
  // Rows of a kind that nobody takes are dropped.
  template <class Row>
  void push(std::span<const Row> rows) const {
    if (const Sink<Row>& sink = std::get<Sink<Row>>(sinks_)) {
      sink(rows);
    }
  }
  template <class Row>
  void push(const Row& row) const {
    push(std::span<const Row>(&row, 1));
  }

 private:
  std::tuple<Sink<Rows>...> sinks_;
};

using RowSinks = RowSinksOf<CollectedRows>;

}  // namespace aaco
