// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The text has some of it in figures alone, or not at all. Here a row is one of the matrix that the
// descriptor names, along K, in units of 16 bytes; row i of .4x256b goes to lane 32 i from that of
// the address on; a pair of warps that .warpx2 names has the same 32 rows; and the rows of
// tcgen05.shift go one lane down in number, so that the last lane is the one to be filled anew.
#include "sim/ptx/simt/tensor_movement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "sim/ptx/simt/shared_matrix.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {
namespace {

constexpr unsigned kWarpLanes = 32;
constexpr unsigned kUnitColumns = 4;   // a unit of 16 bytes in tensor memory
constexpr unsigned kShiftColumns = 8;  // 32 bytes

// Why columns cannot be accessed, if so.
std::optional<TensorRefusal> NotAllocated(const Cta& cta, unsigned column, unsigned columns) {
  const auto why =
      cta.tensor == nullptr
          ? std::optional<std::string>("accesses tensor memory, of which none is allocated")
          : cta.tensor->Refusal(0, kTensorLanes, column, columns);
  return why ? std::optional(TensorRefusal{"tensor_memory_not_allocated", *why}) : std::nullopt;
}

class CopyToTensor : public TensorOperation {
 public:
  CopyToTensor(const TensorMovement& movement, const SharedMatrix& source, std::uint32_t address)
      : movement_(movement), source_(source), address_(address) {
    if (!IsSparse()) {
      SetReplaces();
    }
  }

  std::optional<TensorRefusal> AddCta(Cta* cta);

 private:
  void Execute() override;
  bool IsSparse() const { return movement_.shape == MovementShape::k4x256b; }
  unsigned Rows() const { return RowsOf(movement_.shape); }
  unsigned Units() const {
    return IsSparse() || movement_.shape == MovementShape::k128x256b ? 2 : 1;
  }
  std::uint32_t UnitOf(unsigned row, unsigned unit) const {
    return source_.UnitOf(true, 1, row, unit);
  }
  // The row that a lane has.
  unsigned RowOf(unsigned lane) const {
    return IsSparse()             ? lane / kWarpLanes
           : movement_.neighbours ? lane / (2 * kWarpLanes) * kWarpLanes + lane % kWarpLanes
                                  : lane % Rows();
  }
  std::array<std::uint32_t, kUnitColumns> WordsOf(const Cta& cta, std::uint32_t unit) const;

  const TensorMovement movement_;
  const SharedMatrix source_;
  const std::uint32_t address_;
  std::vector<Cta*> ctas_;
};

std::optional<TensorRefusal> CopyToTensor::AddCta(Cta* cta) {
  const unsigned lane = TensorLane(address_);
  const unsigned columns = Units() * kUnitColumns;
  if (IsSparse() ? lane >= kWarpLanes : lane != 0) {
    return TensorRefusal{"bad_tensor_address",
                         fmt::format("copies to tensor memory from lane {} on, and not from {}",
                                     lane, IsSparse() ? "one of the lanes 0 to 31" : "lane 0")};
  }
  if (source_.swizzle == Swizzle::k128B_32Atom) {
    return TensorRefusal{
        "bad_matrix_descriptor",
        "has a descriptor of its source with a swizzling mode that there is not along K"};
  }
  if (auto refused = NotAllocated(*cta, TensorColumn(address_), columns)) {
    return refused;
  }
  std::vector<std::uint32_t> units;
  for (unsigned row = 0; row < Rows(); ++row) {
    for (unsigned unit = 0; unit < Units(); ++unit) {
      units.push_back(UnitOf(row, unit));
    }
  }
  const std::uint32_t end = *std::max_element(units.begin(), units.end()) + kMatrixUnit;
  if (end > cta->shared.size()) {
    return TensorRefusal{
        "bad_matrix_descriptor",
        fmt::format("has a descriptor of its source that reaches up to byte {:#x} of shared "
                    "memory, which has {:#x}",
                    end, cta->shared.size())};
  }
  AddUnits(cta, std::move(units), false);
  for (unsigned first = IsSparse() ? lane : 0; first < kTensorLanes;
       first += IsSparse() ? kWarpLanes : kPieceLanes) {
    Add(TensorPieces(cta, first, TensorColumn(address_), columns, true));
  }
  ctas_.push_back(cta);
  return std::nullopt;
}

// Of 16 elements of 4 or 6 bits each has a byte: e2m1 the middle of it, those of 6 bits the lower
// end.
std::array<std::uint32_t, kUnitColumns> CopyToTensor::WordsOf(const Cta& cta,
                                                              std::uint32_t unit) const {
  std::array<std::uint8_t, kMatrixUnit> bytes{};
  std::memcpy(bytes.data(), &cta.shared[unit], kMatrixUnit);
  if (movement_.element_bits != 0) {
    const std::array<std::uint8_t, kMatrixUnit> packed = bytes;
    for (unsigned i = 0; i < kMatrixUnit; ++i) {
      const unsigned bit = i * movement_.element_bits;
      const unsigned two = packed[bit / 8] | packed[std::min(bit / 8 + 1, kMatrixUnit - 1)] << 8;
      const unsigned element = two >> bit % 8 & ((1U << movement_.element_bits) - 1);
      bytes[i] = static_cast<std::uint8_t>(movement_.element_bits == 4 ? element << 2 : element);
    }
  }
  std::array<std::uint32_t, kUnitColumns> words{};
  std::memcpy(words.data(), bytes.data(), kMatrixUnit);
  return words;
}

void CopyToTensor::Execute() {
  for (Cta* const cta : ctas_) {
    for (unsigned lane = IsSparse() ? TensorLane(address_) : 0; lane < kTensorLanes;
         lane += IsSparse() ? kWarpLanes : 1) {
      for (unsigned unit = 0; unit < Units(); ++unit) {
        const auto words = WordsOf(*cta, UnitOf(RowOf(lane), unit));
        for (unsigned i = 0; i < kUnitColumns; ++i) {
          cta->tensor->At(lane, TensorColumn(address_) + unit * kUnitColumns + i) = words[i];
        }
      }
    }
  }
}

class Shift : public TensorOperation {
 public:
  explicit Shift(std::uint32_t address) : address_(address) {}

  std::optional<TensorRefusal> AddCta(Cta* cta);

 private:
  void Execute() override;

  const std::uint32_t address_;
  std::vector<Cta*> ctas_;
};

std::optional<TensorRefusal> Shift::AddCta(Cta* cta) {
  const unsigned first = TensorLane(address_);
  if (first % kWarpLanes != 0 || first >= kTensorLanes) {
    return TensorRefusal{
        "bad_tensor_address",
        fmt::format("shifts rows from lane {} of tensor memory on, and not from lane 0, 32, 64 or "
                    "96",
                    first)};
  }
  if (auto refused = NotAllocated(*cta, TensorColumn(address_), kShiftColumns)) {
    return refused;
  }
  for (const bool writes : {false, true}) {
    for (unsigned lane = first; lane < first + kWarpLanes; lane += kPieceLanes) {
      Add(TensorPieces(cta, lane, TensorColumn(address_), kShiftColumns, writes));
    }
  }
  ctas_.push_back(cta);
  return std::nullopt;
}

void Shift::Execute() {
  const unsigned first = TensorLane(address_);
  for (Cta* const cta : ctas_) {
    for (unsigned lane = first; lane + 1 < first + kWarpLanes; ++lane) {
      for (unsigned i = 0; i < kShiftColumns; ++i) {
        const unsigned column = TensorColumn(address_) + i;
        cta->tensor->At(lane, column) = cta->tensor->At(lane + 1, column);
      }
    }
  }
}

template <typename T>
std::shared_ptr<TensorOperation> Made(std::shared_ptr<T> operation, const std::vector<Cta*>& ctas,
                                      TensorRefusal* refusal) {
  for (Cta* const cta : ctas) {
    if (auto refused = operation->AddCta(cta)) {
      *refusal = *std::move(refused);
      return nullptr;
    }
  }
  return operation;
}

}  // namespace

std::shared_ptr<TensorOperation> MakeMovement(const TensorMovement& movement,
                                              const std::vector<Cta*>& ctas, std::uint32_t address,
                                              std::uint64_t descriptor, TensorRefusal* refusal) {
  if (movement.source == kNoSlot) {
    return Made(std::make_shared<Shift>(address), ctas, refusal);
  }
  std::string why;
  const auto matrix = ReadMatrixDescriptor(descriptor, &why);
  if (!matrix) {
    *refusal = {
        "bad_matrix_descriptor",
        fmt::format("has the descriptor {:#018x} of its source, which {}", descriptor, why)};
    return nullptr;
  }
  return Made(std::make_shared<CopyToTensor>(movement, *matrix, address), ctas, refusal);
}

}  // namespace muster::ptx
