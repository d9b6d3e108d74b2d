// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/litmus/strength.h"

namespace muster::litmus {
namespace {

using Kind = Instruction::Kind;

bool IsFence(const Event& event) {
  return !event.IsInitial() && event.instruction->kind == Kind::kFence;
}

// "A memory fence operation, or a memory operation with a .relaxed, .acquire, .release, .acq_rel,
// .volatile or .mmio qualifier."
bool IsStrong(const Event& event) {
  return !event.IsInitial() &&
         (IsFence(event) || (event.IsAccess() && event.instruction->order != Order::kWeak));
}

bool Releases(const Event& event) {
  const Order order = event.instruction->order;
  return order == Order::kRelease || order == Order::kAcqRel || order == Order::kSc;
}

bool Acquires(const Event& event) {
  const Order order = event.instruction->order;
  return order == Order::kAcquire || order == Order::kAcqRel || order == Order::kSc;
}

bool Overlap(const Event& a, const Event& b) {
  return a.memory == b.memory && a.address == b.address;
}

}  // namespace

bool Meet(const Event& a, const Event& b) {
  return a.IsAccess() && b.IsAccess() && a.memory == b.memory;
}

Strength::Strength(const Candidate& candidate)
    : candidate_(candidate),
      morally_strong_(static_cast<unsigned>(candidate.events().size())),
      program_order_per_location_(morally_strong_) {
  const auto& events = candidate.events();
  for (unsigned a = 0; a < events.size(); ++a) {
    for (unsigned b = 0; b < events.size(); ++b) {
      if (a != b && AreMorallyStrong(a, b)) {
        morally_strong_.Add(a, b);
        if (candidate.program_order().Relates(a, b) && events[a].IsAccess() &&
            events[b].IsAccess()) {
          program_order_per_location_.Add(a, b);
        }
      }
    }
    if (IsFence(events[a]) && events[a].instruction->order == Order::kSc) {
      fences_sc_ |= Of(a);
    }
  }
  FindPatterns();
}

bool Strength::AreMorallyStrong(unsigned a, unsigned b) const {
  const Event& x = candidate_.events()[a];
  const Event& y = candidate_.events()[b];
  if (x.IsInitial() || y.IsInitial() || !(x.IsAccess() || IsFence(x)) ||
      !(y.IsAccess() || IsFence(y))) {
    return false;
  }
  const auto& threads = candidate_.test().threads;
  const bool related = x.thread == y.thread ||
                       (IsStrong(x) && IsStrong(y) &&
                        Includes(x.instruction->scope, threads[x.thread], threads[y.thread]) &&
                        Includes(y.instruction->scope, threads[y.thread], threads[x.thread]));
  return related && x.instruction->proxy == y.instruction->proxy &&
         (IsFence(x) || IsFence(y) || Overlap(x, y));
}

// "A release pattern on a location M consists of a release operation on M; or a release or
// acquire-release operation on M, followed by a strong write on M in program order; or a release or
// acquire-release memory fence, followed by a strong write on M in program order." And the mirror
// image of it for an acquire pattern, in which the read of a reduction takes no part.
void Strength::FindPatterns() {
  const auto& events = candidate_.events();
  for (unsigned a = 0; a < events.size(); ++a) {
    const Event& x = events[a];
    if (x.IsInitial() || !IsStrong(x)) {
      continue;
    }
    if (x.writes && Releases(x)) {
      releases_.push_back({a, a});
    }
    const bool reads = x.reads && x.instruction->kind != Kind::kRed;
    if (reads && Acquires(x)) {
      acquires_.push_back({a, a});
    }
    ForEach(candidate_.program_order().After(a), [&](unsigned b) {
      const Event& y = events[b];
      const bool one_place = x.IsAccess() && y.IsAccess() && Overlap(x, y) &&
                             x.instruction->proxy == y.instruction->proxy;
      if (Releases(x) && (IsFence(x) || (x.writes && one_place)) && y.writes && IsStrong(y)) {
        releases_.push_back({a, b});
      }
      if (reads && IsStrong(y) && Acquires(y) && (IsFence(y) || (y.reads && one_place))) {
        acquires_.push_back({a, b});
      }
    });
  }
}

}  // namespace muster::litmus
