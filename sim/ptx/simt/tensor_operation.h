// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What a tensor core does some time after a thread has issued it: it reads its operands and writes
// its result in one step, but may read matrix A in shared memory before. PTX, "Asynchronous
// Operations" of tcgen05.
#ifndef MUSTER_SIM_PTX_SIMT_TENSOR_OPERATION_H_
#define MUSTER_SIM_PTX_SIMT_TENSOR_OPERATION_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/ptx/simt/tensor_memory.h"

namespace muster::ptx {

struct Cta;

// Bytes of a CTA's shared memory; or pieces of its tensor memory, each 16 lanes of a column and
// counted as 4 bytes.
struct TensorRange {
  Cta* cta = nullptr;
  bool in_tensor = false;
  bool writes = false;
  std::uint32_t first = 0;
  std::uint32_t bytes = 0;
  bool of_a = false;  // matrix A, in shared memory
};
inline constexpr unsigned kPieceLanes = 16;
inline constexpr unsigned kPieceBytes = 4;
// `columns` of the 16 lanes from `lane` on.
constexpr TensorRange TensorPieces(Cta* cta, unsigned lane, unsigned column, unsigned columns,
                                   bool writes) {
  return {cta, true, writes, (lane / kPieceLanes * kTensorColumns + column) * kPieceBytes,
          columns * kPieceBytes};
}

// Why an operation is refused: the name of the fault, and a sentence about the thread.
struct TensorRefusal {
  const char* cause = nullptr;
  std::string why;
};

class TensorOperation {
 public:
  TensorOperation() = default;
  TensorOperation(const TensorOperation&) = delete;
  TensorOperation& operator=(const TensorOperation&) = delete;
  virtual ~TensorOperation() = default;

  // Reads matrix A in shared memory, which may be something else afterwards.
  bool HasA() const;
  void ReadA();
  void Perform();
  bool done() const { return done_; }
  const std::vector<TensorRange>& ranges() const { return ranges_; }
  bool Uses(const TensorMemory* memory, unsigned first, unsigned columns) const;
  bool Touches(const Cta* cta) const;

  std::uint32_t line = 0;

 protected:
  // Adds the units of 16 bytes, in any order.
  void AddUnits(Cta* cta, std::vector<std::uint32_t> units, bool writes, bool of_a = false);
  void Add(const TensorRange& range) { ranges_.push_back(range); }
  // Nothing is left of what is where it writes.
  void SetReplaces() { replaces_ = true; }
  // What it writes is not known.
  void SetUnknown(Origin origin) { unknown_ = origin; }

 private:
  virtual void Execute() = 0;
  void Spread() const;
  void ExchangeA();

  std::vector<TensorRange> ranges_;
  std::vector<std::vector<std::uint8_t>> a_;  // that has been read, by range
  bool done_ = false;
  bool replaces_ = false;
  Origin unknown_ = 0;
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_TENSOR_OPERATION_H_
