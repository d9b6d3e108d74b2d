// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// All ways to order the pairs of a relation that stay without cycles.
#ifndef MUSTER_SIM_LITMUS_ORDER_SEARCH_H_
#define MUSTER_SIM_LITMUS_ORDER_SEARCH_H_

#include "sim/litmus/relation.h"

namespace muster::litmus {

// Orders each pair of `pairs`, which is symmetric, one way or the other. `order` is transitive and
// grows with each pair. Calls may(order) after each choice, and goes no further if it says no;
// calls visit(order) when all pairs are ordered, and stops if it says no. Returns whether it did
// not stop.
template <typename May, typename Visit>
bool ForEachOrder(const Relation& order, const Relation& pairs, const May& may,
                  const Visit& visit) {
  for (unsigned a = 0; a < order.events(); ++a) {
    for (Set rest = pairs.After(a); rest != 0; rest &= rest - 1) {
      const auto b = static_cast<unsigned>(__builtin_ctzll(rest));
      if (order.Relates(a, b) || order.Relates(b, a)) {
        continue;
      }
      for (const bool forwards : {true, false}) {
        Relation next = order;
        forwards ? next.AddClosed(a, b) : next.AddClosed(b, a);
        if (may(next) && !ForEachOrder(next, pairs, may, visit)) {
          return false;
        }
      }
      return true;
    }
  }
  return visit(order);
}

}  // namespace muster::litmus

#endif  // MUSTER_SIM_LITMUS_ORDER_SEARCH_H_
