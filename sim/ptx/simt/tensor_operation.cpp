// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/tensor_operation.h"

#include <algorithm>

#include "sim/ptx/simt/shared_matrix.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {

namespace {

UnknownBytes& UnknownIn(const TensorRange& range) {
  return range.in_tensor ? range.cta->tensor->unknown : range.cta->unknown;
}

}  // namespace

bool TensorOperation::HasA() const {
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [](const TensorRange& range) { return range.of_a; });
}

void TensorOperation::ReadA() {
  for (const TensorRange& range : ranges_) {
    if (range.of_a) {
      const auto first = range.cta->shared.begin() + range.first;
      a_.emplace_back(first, first + range.bytes);
      unknown_ = unknown_ != 0 ? unknown_ : UnknownIn(range).Find(range.first, range.bytes);
    }
  }
}

// What has been read of A and what is there now change places.
void TensorOperation::ExchangeA() {
  auto read = a_.begin();
  for (const TensorRange& range : ranges_) {
    if (range.of_a && read != a_.end()) {
      std::swap_ranges(read->begin(), read->end(), range.cta->shared.begin() + range.first);
      ++read;
    }
  }
}

void TensorOperation::Perform() {
  Spread();
  ExchangeA();
  Execute();
  ExchangeA();
  done_ = true;
}

// Where something that it reads is unknown, all that it writes is.
void TensorOperation::Spread() const {
  Origin origin = unknown_;
  for (const TensorRange& range : ranges_) {
    if (!range.writes && origin == 0 && !(range.of_a && !a_.empty())) {
      origin = UnknownIn(range).Find(range.first, range.bytes);
    }
  }
  for (const TensorRange& range : ranges_) {
    if (range.writes && (origin != 0 || replaces_)) {
      UnknownIn(range).Set(range.first, range.bytes, origin);
    }
  }
}

bool TensorOperation::Uses(const TensorMemory* memory, unsigned first, unsigned columns) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const TensorRange& range) {
    const unsigned column = range.first / kPieceBytes % kTensorColumns;
    return range.in_tensor && range.cta->tensor.get() == memory && column < first + columns &&
           first < column + range.bytes / kPieceBytes;
  });
}

bool TensorOperation::Touches(const Cta* cta) const {
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [&](const TensorRange& range) { return range.cta == cta; });
}

void TensorOperation::AddUnits(Cta* cta, std::vector<std::uint32_t> units, bool writes, bool of_a) {
  std::sort(units.begin(), units.end());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  for (std::size_t i = 0; i < units.size();) {
    std::size_t end = i + 1;
    while (end < units.size() && units[end] == units[end - 1] + kMatrixUnit) {
      ++end;
    }
    ranges_.push_back(
        {cta, false, writes, units[i], static_cast<std::uint32_t>(end - i) * kMatrixUnit, of_a});
    i = end;
  }
}

}  // namespace muster::ptx
