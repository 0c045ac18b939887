// SPDX-License-Identifier: MIT
// Rows of several types, a vector of each.
#pragma once

#include <tuple>
#include <vector>

namespace aaco {

template <class... Rows>
class RowSet {
 public:
  template <class Row>
  std::vector<Row>& rows() {
    return std::get<std::vector<Row>>(rows_);
  }
  template <class Row>
  const std::vector<Row>& rows() const {
    return std::get<std::vector<Row>>(rows_);
  }

  // `visit` takes a std::vector<Row>& of each type, in their order.
  template <class Visit>
  void for_each(Visit&& visit) {
    (visit(rows<Rows>()), ...);
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    (visit(rows<Rows>()), ...);
  }

 private:
  std::tuple<std::vector<Rows>...> rows_;
};

}  // namespace aaco
