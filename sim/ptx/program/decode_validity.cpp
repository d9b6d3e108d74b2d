// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: report mechanisms (PTX ISA 9.4, 9.7.10.28.1.3).
#include "sim/ptx/program/decode_validity.h"

#include <string_view>
#include <utility>

namespace muster::ptx {

Validity TakeValidity(Cursor* c) {
  constexpr std::pair<std::string_view, Validity> kMechanisms[] = {
      {"mbarrier::report::disabled", Validity::kDisabled},
      {"mbarrier::report::validity::per_16bytes::80000000", Validity::kF32},
      {"mbarrier::report::validity::per_16bytes::8000", Validity::kF16},
      {"mbarrier::report::validity::per_16bytes::80", Validity::kF8},
      {"mbarrier::report::validity::per_16bytes::8", Validity::kF4},
      {"mbarrier::report::validity::per_element::ff", Validity::kEachFf}};
  for (const auto& [name, validity] : kMechanisms) {
    if (c->Take(name)) {
      c->Require("a report mechanism", 94, 107);
      c->RequireVariant("a report mechanism", 107, 109);
      return validity;
    }
  }
  return Validity::kDisabled;
}

}  // namespace muster::ptx
