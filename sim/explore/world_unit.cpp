// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/explore/world_unit.h"

#include <algorithm>
#include <cstring>

#include "sim/isa/bits.h"

namespace muster::explore {
namespace {

constexpr unsigned kWordBytes = 8;

}  // namespace

World::Unit::Unit(World* of, unsigned its_rank)
    : world(*of),
      rank(its_rank),
      interpreter(of->program_, of->launch_, &of->memory_, &of->printed_, its_rank),
      livelock(of->program_),
      model(of->config_),
      words(model, of->config_.smem_bytes),
      scope(of->config_.num_warps),
      warps(of->config_.num_warps),
      ctas(of->config_.num_ctas) {
  interpreter.set_mbarriers(this);
  interpreter.set_warp_unit(this);
  interpreter.set_livelock_detector(&livelock);
  interpreter.set_accesses(of);
  interpreter.set_whole_copies();
  interpreter.set_clock_period_ps(of->config_.clock_period_ps);
  interpreter.set_cancel([this](const ptx::Warp& warp, const ptx::CancelCall& call) {
    world.Cancel(this, warp, call, world.here_.pc);
  });
}

void World::Unit::Reset() {
  model.Reset();
  words.Reset();
  for (unsigned slot = 0; slot < warps.size(); ++slot) {
    scope.Clear(slot);
    warps[slot].exists = false;
  }
  for (CtaState& cta : ctas) {
    cta.taken = false;
  }
  requests.clear();
  invalidated.clear();
}

std::uint64_t World::Unit::Word(unsigned cta, std::uint32_t addr) const {
  std::uint64_t word = 0;
  std::memcpy(&word, &ctas[cta].cta.shared[addr], sizeof word);
  return word;
}

void World::Unit::SetWord(unsigned cta, std::uint32_t addr, std::uint64_t word) {
  std::memcpy(&ctas[cta].cta.shared[addr], &word, sizeof word);
}

void World::Unit::Watch(unsigned cta, std::uint32_t addr) {
  const std::uint32_t index = addr / kWordBytes;
  if (addr % kWordBytes != 0 || index >= watched[cta].size() || watched[cta][index]) {
    return;
  }
  watched[cta][index] = true;
  if (const std::uint64_t word = Word(cta, addr); word != 0) {
    words.Store(cta, addr, word);
  }
}

bool World::Unit::Retries(const ptx::Warp& warp, const ptx::Group& group, std::uint32_t lanes) {
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15U;
  std::uint64_t key = (std::uint64_t{group.pc} << 32 | lanes) * kSpread;
  ForEachBit(lanes,
             [&](unsigned lane) { key = key * kSpread + livelock.StateOf(warp, group, lane); });
  const auto [found, fresh] = retries.try_emplace(key);
  if (fresh) {
    found->second = interpreter.WouldReturn(warp, group, lanes) ||
                    interpreter.RetriesForEver(warp, group, lanes);
  }
  return found->second;
}

bool World::Unit::IsInvalidatedByAnother(const MbOperation& operation) const {
  const auto found = invalidated.find({operation.cta, operation.addr});
  return found != invalidated.end() &&
         (operation.source != MbSource::kWarp || found->second.first != operation.warp ||
          (found->second.second & operation.lanes) == 0);
}

bool World::Unit::Watches(unsigned cta, std::uint64_t addr, unsigned bytes) const {
  for (std::uint64_t index = addr / kWordBytes;
       index * kWordBytes < addr + bytes && index < watched[cta].size(); ++index) {
    if (watched[cta][index]) {
      return true;
    }
  }
  return false;
}

void World::Unit::Stored(unsigned /*warp*/, unsigned cta, std::uint64_t addr, unsigned bytes,
                         std::uint32_t /*line*/) {
  for (std::uint64_t word = addr / kWordBytes * kWordBytes; word < addr + bytes;
       word += kWordBytes) {
    if (word / kWordBytes < watched[cta].size() && watched[cta][word / kWordBytes]) {
      const auto at = static_cast<std::uint32_t>(word);
      world.Hazards(words.Store(cta, at, Word(cta, at)).hazards, world.here_);
      invalidated.erase({cta, at});
    }
  }
}

void World::Unit::Post(ptx::Transfer transfer, std::uint64_t /*cycle*/) {
  world.Post(this, std::move(transfer));
}

}  // namespace muster::explore
