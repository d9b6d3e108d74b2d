// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/litmus/test.h"

namespace muster::litmus {

bool InOneCta(const Thread& a, const Thread& b) {
  return a.gpu == b.gpu && a.cluster == b.cluster && a.cta == b.cta;
}

bool Includes(Scope scope, const Thread& a, const Thread& b) {
  switch (scope) {
    case Scope::kCta:
      return InOneCta(a, b);
    case Scope::kCluster:
      return InOneCta(a, b) || (a.cluster && a.gpu == b.gpu && a.cluster == b.cluster);
    case Scope::kGpu:
      return a.gpu == b.gpu;
    case Scope::kSys:
      return true;
  }
  return false;
}

unsigned CtaOf(const Test& test, unsigned thread) {
  unsigned first = 0;
  while (!InOneCta(test.threads[first], test.threads[thread])) {
    ++first;
  }
  return first;
}

unsigned ThreadsOfCta(const Test& test, unsigned cta) {
  unsigned threads = 0;
  for (unsigned i = 0; i < test.threads.size(); ++i) {
    threads += CtaOf(test, i) == cta ? 1 : 0;
  }
  return threads;
}

}  // namespace muster::litmus
