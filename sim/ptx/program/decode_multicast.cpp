// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: the qualifier that sends an operation to several CTAs of the cluster (PTX ISA 9.4).
#include "sim/ptx/program/decode_multicast.h"

namespace muster::ptx {
namespace {

constexpr const char* kNarrow = ".multicast::cluster::16b";
constexpr const char* kWide = ".multicast::cluster::32b";
constexpr unsigned kVersion = 94;
// sm_107f, and what follows in its family.
constexpr unsigned kFirstTarget = 107;
constexpr unsigned kLastTarget = 109;

}  // namespace

bool TakeWideMulticast(Cursor* c) {
  const bool wide = c->Take("multicast::cluster::32b");
  if (wide) {
    c->Require(kWide, kVersion, kFirstTarget);
    c->RequireVariant(kWide, kFirstTarget, kLastTarget);
  }
  return wide;
}

Type TakeMulticast(Cursor* c) {
  if (TakeWideMulticast(c)) {
    return Type::kU32;
  }
  if (c->Take("multicast::cluster::16b")) {
    c->Require(kNarrow, kVersion, 90);
    return Type::kU16;
  }
  return c->Take("multicast::cluster") ? Type::kU16 : Type::kNone;
}

}  // namespace muster::ptx
