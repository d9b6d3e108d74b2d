// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/litmus/causality.h"

namespace muster::litmus {
namespace {

using Kind = Instruction::Kind;

// Follows an access along a base causality path, through the proxy fences that change by which
// address and proxy it is known.
class Preserved {
 public:
  Preserved(const Candidate& candidate, const Relation& base) : candidate_(candidate), base_(base) {
    for (unsigned i = 0; i < candidate.events().size(); ++i) {
      const Event& event = candidate.events()[i];
      if (!event.IsInitial() && event.instruction->kind == Kind::kAliasFence) {
        alias_fences_ |= Of(i);
      } else if (!event.IsInitial() && event.instruction->kind == Kind::kProxyFence) {
        proxy_fences_ |= Of(i);
      }
    }
  }

  bool Precedes(unsigned a, unsigned b) const {
    const Event& x = candidate_.events()[a];
    const Event& y = candidate_.events()[b];
    if (!base_.Relates(a, b) || !Meet(x, y)) {
      return false;
    }
    if (x.IsInitial()) {
      return true;  // the start of a kernel takes part by itself
    }
    const Proxy from = x.instruction->proxy;
    const Proxy to = y.instruction->proxy;
    if (x.address == y.address && from == to && (from == Proxy::kGeneric || InOneCta(x, y))) {
      return true;
    }
    // The events from which on the access counts as generic, by its own address; then by the
    // address of y; then in the proxy of y.
    Set reached = from == Proxy::kGeneric ? Of(a) : FencesAfter(Of(a), from, x);
    if (x.address != y.address) {
      reached = After(reached) & alias_fences_;
    }
    if (to != Proxy::kGeneric) {
      reached = FencesAfter(reached, to, y);
    }
    return Has(After(reached), b);
  }

 private:
  bool InOneCta(const Event& x, const Event& y) const {
    const auto& threads = candidate_.test().threads;
    return litmus::InOneCta(threads[x.thread], threads[y.thread]);
  }

  Set After(Set events) const {
    Set after = 0;
    ForEach(events, [&](unsigned event) { after |= base_.After(event); });
    return after;
  }

  // The fences of that proxy after one of the events, in the CTA of the access.
  Set FencesAfter(Set events, Proxy proxy, const Event& access) const {
    Set fences = 0;
    ForEach(After(events) & proxy_fences_, [&](unsigned i) {
      const Event& fence = candidate_.events()[i];
      if (fence.instruction->proxy == proxy && InOneCta(fence, access)) {
        fences |= Of(i);
      }
    });
    return fences;
  }

  const Candidate& candidate_;
  const Relation& base_;
  Set alias_fences_ = 0;
  Set proxy_fences_ = 0;
};

}  // namespace

Relation ObservationOrder(const Strength& strength, const Relation& reads_from) {
  return (reads_from & strength.morally_strong()).Closed();
}

Relation PatternSynchronization(const Strength& strength, const Relation& observation) {
  Relation synchronizes(observation.events());
  for (const Strength::ReleasePattern& release : strength.releases()) {
    for (const Strength::AcquirePattern& acquire : strength.acquires()) {
      if (observation.Relates(release.write, acquire.read) &&
          strength.morally_strong().Relates(release.first, acquire.last)) {
        synchronizes.Add(release.first, acquire.last);
      }
    }
  }
  return synchronizes;
}

Relation BaseCausality(const Candidate& candidate, const Relation& synchronizes) {
  Relation base = (candidate.program_order() | synchronizes).Closed();
  const auto& events = candidate.events();
  for (unsigned a = 0; a < events.size() && events[a].IsInitial(); ++a) {
    for (unsigned b = 0; b < events.size(); ++b) {
      if (!events[b].IsInitial()) {
        base.Add(a, b);
      }
    }
  }
  return base;
}

Relation PreservedCausality(const Candidate& candidate, const Relation& base) {
  const Preserved preserved(candidate, base);
  Relation result(base.events());
  for (unsigned a = 0; a < base.events(); ++a) {
    if (candidate.events()[a].IsAccess()) {
      ForEach(base.After(a), [&](unsigned b) {
        if (preserved.Precedes(a, b)) {
          result.Add(a, b);
        }
      });
    }
  }
  return result;
}

}  // namespace muster::litmus
