// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The order and scope that an access or a fence names (.sem and .scope in the text). The
// interpreter performs every access at once and in order, unless a run is late; what judges what
// other machines may do needs them.
#ifndef MUSTER_SIM_PTX_PROGRAM_ORDER_H_
#define MUSTER_SIM_PTX_PROGRAM_ORDER_H_

#include <cstdint>

namespace muster::ptx {

enum class Order : std::uint8_t {
  kWeak,
  kRelaxed,  // .volatile too, with the scope .sys
  kAcquire,
  kRelease,
  kAcquireRelease,  // fence.sc too
};

// From the narrowest to the widest.
enum class Scope : std::uint8_t { kCta, kCluster, kGpu, kSystem };

struct Ordering {
  Order order = Order::kWeak;
  Scope scope = Scope::kSystem;

  bool IsStrong() const { return order != Order::kWeak; }
  bool Acquires() const { return order == Order::kAcquire || order == Order::kAcquireRelease; }
  bool Releases() const { return order == Order::kRelease || order == Order::kAcquireRelease; }
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_ORDER_H_
