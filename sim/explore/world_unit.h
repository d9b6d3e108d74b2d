// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The CTAs of one rank, and the golden models of the unit that they run on. Serves the interpreter
// as its mbarrier sink, its warp unit and its transfer sink.
#ifndef MUSTER_SIM_EXPLORE_WORLD_UNIT_H_
#define MUSTER_SIM_EXPLORE_WORLD_UNIT_H_

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/explore/world.h"
#include "sim/ptx/simt/livelock_detector.h"

namespace muster::explore {

class World::Unit : public ptx::MbarrierSink, public ptx::WarpUnit, public ptx::TransferSink {
 public:
  Unit(World* world, unsigned rank);
  void Reset();

  ptx::Cta& CtaAt(unsigned slot) { return ctas[slot].cta; }
  WarpState& Warp(unsigned slot) { return warps[slot]; }
  // Loads a word into the golden model before the first operation on it.
  void Watch(unsigned cta, std::uint32_t addr);
  // Whether lanes that wait at an mbarrier would only retry, however often they are answered false.
  bool Retries(const ptx::Warp& warp, const ptx::Group& group, std::uint32_t lanes);
  // Another thread has invalidated the operation's object.
  bool IsInvalidatedByAnother(const MbOperation& operation) const;
  std::uint64_t Word(unsigned cta, std::uint32_t addr) const;
  void SetWord(unsigned cta, std::uint32_t addr, std::uint64_t word);

  void PostAsync(const MbOperation&) override {}   // transfers are steps of their own
  void PostRemote(const MbOperation&) override {}  // likewise
  bool MayAccess(unsigned, unsigned, std::uint64_t, unsigned, bool) override { return true; }
  bool MayStore(unsigned, std::uint64_t, unsigned) override { return true; }
  void Stored(unsigned warp, unsigned cta, std::uint64_t addr, unsigned bytes,
              std::uint32_t line) override;
  bool Watches(unsigned cta, std::uint64_t addr, unsigned bytes) const override;

  void Reset(unsigned warp) override { scope.Clear(warp); }
  void Request(const WarpRequest& request) override { requests.push_back(request); }
  bool IsUnderWay(unsigned warp) const override { return warps[warp].due.has_value(); }

  void Post(ptx::Transfer transfer, std::uint64_t cycle) override;

  World& world;
  const unsigned rank;
  ptx::Interpreter interpreter;
  ptx::LivelockDetector livelock;
  golden::Model model;
  golden::Mbarriers words;
  golden::WarpScope scope;
  std::vector<WarpState> warps;
  std::vector<CtaState> ctas;
  std::vector<WarpRequest> requests;
  std::array<std::vector<bool>, kMaxCtas> watched;
  // Results of dry runs so far, by place and state. They are the same in every run.
  std::unordered_map<std::uint64_t, bool> retries;
  // The warp and lanes that invalidated an object, by CTA and address.
  std::map<std::pair<unsigned, std::uint32_t>, std::pair<unsigned, std::uint32_t>> invalidated;
};

}  // namespace muster::explore

#endif  // MUSTER_SIM_EXPLORE_WORLD_UNIT_H_
