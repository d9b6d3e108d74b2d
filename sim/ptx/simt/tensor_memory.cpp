// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/simt/tensor_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/ptx/simt/tensor_operation.h"

namespace muster::ptx {
namespace {

constexpr std::uint32_t kUnknown = ~0U;  // a NaN of f32, and of two f16

}  // namespace

std::optional<unsigned> TensorMemory::Free(unsigned columns) const {
  for (unsigned first = 0; first + columns <= kTensorColumns; first += kLeastColumns) {
    const auto* const begin = columns_.begin() + first;
    if (std::none_of(begin, begin + columns, [](const Column& one) { return one.allocated; })) {
      return first;
    }
  }
  return std::nullopt;
}

void TensorMemory::Allocate(unsigned first, unsigned columns, std::uint32_t line) {
  for (unsigned column = first; column < first + columns; ++column) {
    columns_[column] = {true, first, columns, line};
    for (unsigned lane = 0; lane < kTensorLanes; ++lane) {
      At(lane, column) = kUnknown;
    }
  }
}

std::optional<std::string> TensorMemory::Release(unsigned first, unsigned columns,
                                                 std::uint32_t line) {
  if (first >= kTensorColumns || !columns_[first].allocated || columns_[first].first != first ||
      columns_[first].count != columns) {
    const bool part = first < kTensorColumns && columns_[first].allocated;
    return fmt::format("releases {} columns of tensor memory from {} on, {}", columns, first,
                       part ? fmt::format("and the allocation there has {} from {} on",
                                          columns_[first].count, columns_[first].first)
                            : "where nothing is allocated");
  }
  for (unsigned column = first; column < first + columns; ++column) {
    columns_[column] = {false, first, columns, line};
  }
  return std::nullopt;
}

unsigned TensorMemory::allocated() const {
  return static_cast<unsigned>(std::count_if(columns_.begin(), columns_.end(),
                                             [](const Column& one) { return one.allocated; }));
}

std::uint32_t TensorMemory::allocated_line() const {
  const auto* const found = std::find_if(columns_.begin(), columns_.end(),
                                         [](const Column& one) { return one.allocated; });
  return found == columns_.end() ? 0 : found->line;
}

void TensorMemory::Begin(const std::shared_ptr<TensorOperation>& operation) {
  under_way_.erase(std::remove_if(under_way_.begin(), under_way_.end(),
                                  [](const std::weak_ptr<TensorOperation>& one) {
                                    const auto there = one.lock();
                                    return there == nullptr || there->done();
                                  }),
                   under_way_.end());
  under_way_.push_back(operation);
}

std::shared_ptr<TensorOperation> TensorMemory::UnderWay(unsigned first, unsigned columns) const {
  for (const auto& one : under_way_) {
    if (auto operation = one.lock();
        operation != nullptr && !operation->done() && operation->Uses(this, first, columns)) {
      return operation;
    }
  }
  return nullptr;
}

std::optional<std::string> TensorMemory::Refusal(unsigned lane, unsigned lanes, unsigned column,
                                                 unsigned columns) const {
  if (lane + lanes > kTensorLanes || column + columns > kTensorColumns) {
    return fmt::format(
        "accesses lanes {} to {} and columns {} to {} of tensor memory, which has "
        "{} lanes and {} columns",
        lane, lane + lanes - 1, column, column + columns - 1, kTensorLanes, kTensorColumns);
  }
  for (unsigned one = column; one < column + columns; ++one) {
    const Column& there = columns_[one];
    if (!there.allocated) {
      return there.count == 0
                 ? fmt::format("accesses column {} of tensor memory, which is not allocated", one)
                 : fmt::format("accesses column {} of tensor memory, which line {} has released",
                               one, there.line);
    }
  }
  return std::nullopt;
}

}  // namespace muster::ptx
