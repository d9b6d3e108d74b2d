// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The tensor memory of a CTA: 128 lanes of 512 columns of 32 bits, of which threads allocate
// columns. PTX, "Tensor Memory".
#ifndef MUSTER_SIM_PTX_SIMT_TENSOR_MEMORY_H_
#define MUSTER_SIM_PTX_SIMT_TENSOR_MEMORY_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/ptx/simt/unknown.h"

namespace muster::ptx {

inline constexpr unsigned kTensorLanes = 128;
inline constexpr unsigned kTensorColumns = 512;
inline constexpr unsigned kLeastColumns = 32;  // of an allocation

constexpr unsigned TensorLane(std::uint64_t address) { return address >> 16 & 0xffff; }
constexpr unsigned TensorColumn(std::uint64_t address) { return address & 0xffff; }

class TensorOperation;

class TensorMemory {
 public:
  TensorMemory() : words_(std::size_t{kTensorLanes} * kTensorColumns) {}

  // Whether so many columns can be allocated: a power of two, of 32 to 512.
  static bool IsSize(std::uint64_t columns) {
    return columns >= kLeastColumns && columns <= kTensorColumns && (columns & (columns - 1)) == 0;
  }
  // The first of so many columns that are free, if there are.
  std::optional<unsigned> Free(unsigned columns) const;
  // What they hold is not known: no number, as far as that goes.
  void Allocate(unsigned first, unsigned columns, std::uint32_t line);
  // Returns why not: it is no allocation.
  std::optional<std::string> Release(unsigned first, unsigned columns, std::uint32_t line);
  unsigned allocated() const;
  std::uint32_t allocated_line() const;  // of the first allocation that is not released

  // An operation of a tensor core that is under way, and accesses some columns.
  void Begin(const std::shared_ptr<TensorOperation>& operation);
  // One of these that accesses any of the columns.
  std::shared_ptr<TensorOperation> UnderWay(unsigned first, unsigned columns) const;

  // Why columns and lanes cannot be accessed, if so.
  std::optional<std::string> Refusal(unsigned lane, unsigned lanes, unsigned column,
                                     unsigned columns) const;
  std::uint32_t& At(unsigned lane, unsigned column) {
    return words_[std::size_t{lane} * kTensorColumns + column];
  }

  bool relinquished = false;  // the right to allocate
  UnknownBytes unknown;       // by pieces, as in TensorRange

 private:
  struct Column {
    bool allocated = false;
    unsigned first = 0;      // of the allocation
    unsigned count = 0;      // likewise
    std::uint32_t line = 0;  // of tcgen05.alloc, or of the tcgen05.dealloc that released it
  };
  std::array<Column, kTensorColumns> columns_;
  std::vector<std::uint32_t> words_;  // lane by lane
  std::vector<std::weak_ptr<TensorOperation>> under_way_;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_TENSOR_MEMORY_H_
