// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Random programs that keep to what a unit has.
#ifndef MUSTER_TB_ADAPTERS_TRAFFIC_H_
#define MUSTER_TB_ADAPTERS_TRAFFIC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sim/golden/mbarrier.h"
#include "sim/golden/model.h"
#include "tb/adapters/adapter.h"

namespace muster::adapters {

struct Program {
  struct Cta {
    unsigned slot = 0;
    std::uint64_t warps = 0;
  };
  std::vector<Cta> ctas;
  // Those of a warp, or at a word from elsewhere, are carried out in this order; of several that
  // could go, the first one goes. Any subset is a program, too.
  std::vector<Step> steps;
};

// Warps without operations are none of their CTAs: without joins each CTA is launched with its
// other warps, and with joins an open says how many come. CTAs without warps are left out, and
// counts of more warps than a CTA has.
void Fit(const Features& features, Program* program);

Program Draw(const Features& features, std::uint64_t seed);

// Whether the operation is none that the golden model refuses, whatever those under way do first.
// One that is meant to be refused may go.
bool IsLegal(const Features& features, const Step& step, const golden::Model& core,
             const golden::Mbarriers& words, const std::vector<const Step*>& under_way);

// Whether it is an arrival that the unit holds up until the phase has completed.
bool IsHeld(const Features& features, const Step& step, const golden::Model& core,
            const golden::Mbarriers& words, const std::vector<const Step*>& under_way);

std::string Describe(const Step& step, const Features& features);  // in words

}  // namespace muster::adapters

#endif  // MUSTER_TB_ADAPTERS_TRAFFIC_H_
