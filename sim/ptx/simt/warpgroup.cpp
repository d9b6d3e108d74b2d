// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/warpgroup.h"

#include <algorithm>
#include <cstring>

#include "sim/ptx/alu/warpgroup_product.h"
#include "sim/ptx/simt/warp.h"
#include "sim/ptx/simt/warpgroup_matrix.h"

namespace muster::ptx {
namespace {

constexpr unsigned kUnit = WarpgroupMatrix::kUnitBytes;
constexpr unsigned kHalfBytes = 2;  // of an element that may be transposed

// Calls f(row, byte, at, across) for each unit of `rows` rows of A, or columns of B, from `first`
// on, in that part along K: it begins `byte` bytes along K there, and lies at `at`. Across: each
// two bytes of it are of the next row; else it is contiguous along K.
template <typename F>
void ForEachUnit(std::uint64_t descriptor, bool transposed, unsigned part, unsigned first,
                 unsigned rows, F f) {
  const WarpgroupMatrix matrix(descriptor);
  if (!transposed) {
    for (unsigned row = 0; row < rows; ++row) {
      for (unsigned unit = 0; unit < kOperandBytes / kUnit; ++unit) {
        f(row, unit * kUnit, matrix.AlongK(first + row, part * (kOperandBytes / kUnit) + unit),
          false);
      }
    }
    return;
  }
  constexpr unsigned kElements = kUnit / kHalfBytes;
  for (unsigned k = 0; k < kOperandBytes / kHalfBytes; ++k) {
    for (unsigned row = 0; row < rows; row += kElements) {
      f(row, k * kHalfBytes,
        matrix.AlongMn(part * (kOperandBytes / kHalfBytes) + k, (first + row) / kElements), true);
    }
  }
}

unsigned FirstRow(const Warp& warp) {
  return warp.first_thread / kWarpSize % kWarpgroupWarps * kWarpRows;
}

OperandBytes Gathered(const std::vector<std::uint8_t>& shared, std::uint64_t descriptor,
                      bool transposed, unsigned part, unsigned first, unsigned rows) {
  OperandBytes operand(rows);
  ForEachUnit(descriptor, transposed, part, first, rows,
              [&](unsigned row, unsigned byte, std::uint64_t at, bool across) {
                if (!across) {
                  std::memcpy(&operand[row][byte], &shared[at], kUnit);
                  return;
                }
                for (unsigned e = 0; e < kUnit / kHalfBytes; ++e) {
                  std::memcpy(&operand[row + e][byte], &shared[at + std::size_t{kHalfBytes} * e],
                              kHalfBytes);
                }
              });
  return operand;
}

}  // namespace

// ------------------------------------------------------------------------------------------------
// Four warps
// ------------------------------------------------------------------------------------------------

std::optional<Warpgroup::Difference> Warpgroup::Join(unsigned warp, const Step& step) {
  const auto gone = std::find(left_.begin(), left_.end(), true);
  const std::uint64_t number = taken_[warp]++;
  if (number == first_ + steps_.size()) {
    if (gone != left_.end()) {
      return Difference{static_cast<unsigned>(gone - left_.begin()), std::nullopt};
    }
    steps_.push_back({step, warp});
    return std::nullopt;
  }
  const Entry& entry = steps_[number - first_];
  if (!entry.step.IsSameAs(step)) {
    return Difference{entry.by, entry.step};
  }
  while (!steps_.empty() && *std::min_element(taken_.begin(), taken_.end()) > first_) {
    steps_.pop_front();
    ++first_;
  }
  return std::nullopt;
}

std::optional<Warpgroup::Difference> Warpgroup::Leave(unsigned warp) {
  left_[warp] = true;
  if (taken_[warp] == first_ + steps_.size()) {
    return std::nullopt;
  }
  const Entry& entry = steps_[taken_[warp] - first_];
  return Difference{entry.by, entry.step};
}

// ------------------------------------------------------------------------------------------------
// Registers
// ------------------------------------------------------------------------------------------------

void Fragments::Fence() {
  fenced_ = true;
  touched_.clear();
  for (auto& [reg, use] : in_flight_) {
    use.fenced = true;
  }
}

void Fragments::Wait(std::uint32_t groups) {
  for (auto use = in_flight_.begin(); use != in_flight_.end();) {
    use = group_ - use->second.group > groups ? in_flight_.erase(use) : std::next(use);
  }
}

std::optional<Fragments::Use> Fragments::Touch(std::uint32_t reg, std::uint32_t pc) {
  touched_[reg] = pc;
  return InFlight(reg);
}

void Fragments::Take(std::uint32_t reg, Use use) {
  use.group = group_;
  in_flight_[reg] = use;
}

std::optional<std::uint32_t> Fragments::TouchedBy(std::uint32_t reg) const {
  const auto found = touched_.find(reg);
  return found == touched_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Fragments::Use> Fragments::InFlight(std::uint32_t reg) const {
  const auto found = in_flight_.find(reg);
  return found == in_flight_.end() ? std::nullopt : std::optional(found->second);
}

// ------------------------------------------------------------------------------------------------
// Products
// ------------------------------------------------------------------------------------------------

std::vector<std::pair<std::uint64_t, unsigned>> StartedProduct::Ranges() const {
  std::vector<std::uint64_t> units;
  const auto note = [&](unsigned /*row*/, unsigned /*byte*/, std::uint64_t at, bool /*across*/) {
    units.push_back(at);
  };
  if (instruction->a_matrix != kNoSlot) {
    ForEachUnit(matrices[0], instruction->transposed[0], 0, FirstRow(*warp), kWarpRows, note);
  }
  for (unsigned part = 0; part < (instruction->sparse ? 2U : 1U); ++part) {
    ForEachUnit(matrices[1], instruction->transposed[1], part, 0, instruction->n, note);
  }
  std::sort(units.begin(), units.end());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  std::vector<std::pair<std::uint64_t, unsigned>> ranges;
  for (const std::uint64_t at : units) {
    if (!ranges.empty() && ranges.back().first + ranges.back().second == at) {
      ranges.back().second += kUnit;
    } else {
      ranges.emplace_back(at, kUnit);
    }
  }
  return ranges;
}

SparseRows StartedProduct::Rows() const {
  const WarpgroupProduct& i = *instruction;
  return {i.a_type, kWarpRows, 16 * PackedIn(i.a_type), i.selector, false, metadata};
}

void StartedProduct::Perform(const std::vector<std::uint8_t>& shared) const {
  std::uint64_t* const registers = &warp->registers[std::size_t{frame} * kWarpSize];
  const WarpgroupProduct& i = *instruction;
  WarpgroupOperands of;
  of.a = i.a_matrix == kNoSlot
             ? FragmentOfA(i, registers)
             : Gathered(shared, matrices[0], i.transposed[0], 0, FirstRow(*warp), kWarpRows);
  for (unsigned part = 0; part < (i.sparse ? 2U : 1U); ++part) {
    of.b.push_back(Gathered(shared, matrices[1], i.transposed[1], part, 0, i.n));
  }
  if (i.sparse) {
    of.columns.emplace(Rows());
  }
  Multiply(i, of, adds, registers);
}

}  // namespace muster::ptx
