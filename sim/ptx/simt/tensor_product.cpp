// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Of the pair each CTA has half of the rows of A and D, and half of the columns of B. The places of
// D in tensor memory are those of "Data Path Layout Organization":
//   M of a CTA is 128 (layouts A and D)   row i in lane i
//   M is 64, one CTA (layout F)           row i in lane 32 (i / 16) + i % 16, or 16 lanes further
//   M is 128, a pair (layout B)           row i of the CTA's 64 in lane i, the second half of the
//   M is 64, .ws (layout E)               columns in lane 64 + i
//   M is 32, .ws (layout G)               row i in lane i, further quarters of the columns in lanes
//                                         32 + i, 64 + i and 96 + i
// Of a matrix of scales the scale of row i (column i, of B) is in column i / 32 from its address
// on, in lane i % 32 of each 32 lanes: every 32 rows of D read their own lanes.
#include "sim/ptx/simt/tensor_product.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "sim/ptx/alu/compute.h"
#include "sim/ptx/alu/small_float.h"
#include "sim/ptx/simt/product_form.h"
#include "sim/ptx/simt/shared_matrix.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {
namespace {

constexpr unsigned kWordBits = 32;
constexpr unsigned kDepthColumns = 8;  // of A in tensor memory: 32 bytes of each row
constexpr unsigned kScaleLanes = 32;
constexpr unsigned kByte = 8;

bool IsInteger(Type type) { return type == Type::kU8 || type == Type::kS8; }

class Product : public TensorOperation {
 public:
  Product(const ProductCall& call, const ProductForm& form, const SharedMatrix& a,
          const SharedMatrix& b)
      : call_(call),
        form_(form),
        a_(a),
        b_(b),
        rows_(form.m / static_cast<unsigned>(call.ctas.size())),
        beside_(call.spread || (call.ctas.size() == 2 && rows_ == kTensorLanes / 2)
                    ? kTensorLanes / rows_
                    : 1) {}

  // What the text does not say: where A in tensor memory, or scales, lie beside such a D; and where
  // the scales of K 96 do.
  bool IsOpaque() const {
    return (beside_ > 1 && (call_.a_in_tensor || call_.scale_count != 0)) ||
           (call_.scale_count != 0 && form_.k == kDepthOf96);
  }
  std::optional<TensorRefusal> Check();

 private:
  void Execute() override {
    if (IsInteger(form_.a)) {
      Multiply<std::int64_t>();
    } else if (call_.scale_count != 0) {
      Multiply<double>();
    } else {
      Multiply<float>();
    }
  }
  bool IsHalf() const { return rows_ == kTensorLanes / 2 && beside_ == 1; }
  // Of a row of a CTA, and a column of D.
  unsigned LaneOf(unsigned row, unsigned column) const {
    return IsHalf() ? TensorLane(call_.d) + row / kPieceLanes * 2 * kPieceLanes + row % kPieceLanes
                    : row + column / Columns() * rows_;
  }
  unsigned ColumnOf(unsigned column) const { return TensorColumn(call_.d) + column % Columns(); }
  unsigned Columns() const { return form_.n / beside_; }
  // Bits 30 and 31 of the address have no meaning: CUTLASS has the first byte there.
  unsigned ScaleLane(bool of_b) const { return TensorLane(call_.scales[of_b ? 1 : 0]) & 0x3fff; }
  std::vector<std::uint32_t> UnitsOf(const SharedMatrix& matrix, bool k_major, Type type,
                                     unsigned rows) const;
  std::optional<TensorRefusal> AddShared(Cta* cta, const SharedMatrix& matrix, bool k_major,
                                         Type type, unsigned rows, const char* name);
  template <typename T>
  T Element(const Cta& cta, const SharedMatrix& matrix, bool k_major, Type type, unsigned row,
            unsigned k) const;
  template <typename T>
  T ElementOfA(const Cta& cta, unsigned row, unsigned k) const;
  template <typename T>
  void Multiply() const;
  double ScaleOf(const Cta& cta, bool of_b, unsigned row, unsigned lanes, unsigned k) const;
  template <typename T>
  std::vector<T> Scaled(const Cta& cta, const std::vector<T>& b) const;
  template <typename T>
  void Write(std::uint32_t* word, T sum) const;

  const ProductCall call_;
  const ProductForm form_;
  const SharedMatrix a_;
  const SharedMatrix b_;
  const unsigned rows_;    // of a CTA
  const unsigned beside_;  // D: so many groups of columns, each in lanes of its own
};

std::vector<std::uint32_t> Product::UnitsOf(const SharedMatrix& matrix, bool k_major, Type type,
                                            unsigned rows) const {
  const unsigned along = form_.InUnit(type);
  std::vector<std::uint32_t> units;
  for (unsigned row = 0; row < rows; row += k_major ? 1 : along) {
    for (unsigned k = 0; k < form_.k; k += k_major ? along : 1) {
      units.push_back(matrix.UnitOf(k_major, along, row, k));
    }
  }
  return units;
}

std::optional<TensorRefusal> Product::AddShared(Cta* cta, const SharedMatrix& matrix, bool k_major,
                                                Type type, unsigned rows, const char* name) {
  const bool atoms = matrix.swizzle == Swizzle::k128B_32Atom;
  if (k_major ? atoms : atoms != (type == Type::kTF32)) {
    return TensorRefusal{
        "bad_matrix_descriptor",
        fmt::format("has a descriptor of {} with a swizzling mode that its elements do not have "
                    "{}",
                    name, k_major ? "along K" : "transposed")};
  }
  std::vector<std::uint32_t> units = UnitsOf(matrix, k_major, type, rows);
  const std::uint32_t last = *std::max_element(units.begin(), units.end()) + kMatrixUnit;
  if (last > cta->shared.size()) {
    return TensorRefusal{"bad_matrix_descriptor",
                         fmt::format("has a descriptor of {} that reaches up to byte {:#x} of "
                                     "shared memory, which has {:#x}",
                                     name, last, cta->shared.size())};
  }
  AddUnits(cta, std::move(units), false, &matrix == &a_);
  return std::nullopt;
}

std::optional<TensorRefusal> Product::Check() {
  const auto& disabled = call_.disabled;
  if (!call_.accumulates && std::all_of(disabled.begin(), disabled.end(),
                                        [](std::uint32_t lanes) { return lanes == 0; })) {
    SetReplaces();
  }
  const unsigned lane = TensorLane(call_.d);
  const unsigned a_lane = TensorLane(call_.a);
  const bool aligned = IsHalf() ? lane == 0 || lane == kPieceLanes : lane == 0;
  if (!aligned) {
    return TensorRefusal{
        "bad_tensor_address",
        fmt::format("has D from lane {} of tensor memory on, and not from lane 0{}", lane,
                    IsHalf() ? " or 16" : "")};
  }
  if (call_.a_in_tensor && a_lane != lane) {
    return TensorRefusal{"bad_tensor_address",
                         "has A and D from different lanes of tensor memory on"};
  }
  for (Cta* const cta : call_.ctas) {
    const auto add = [&](std::uint32_t address, unsigned count,
                         bool writes) -> std::optional<TensorRefusal> {
      const auto why = cta->tensor == nullptr
                           ? std::optional<std::string>(
                                 "accesses tensor memory, of which none is "
                                 "allocated")
                           : cta->tensor->Refusal(0, kTensorLanes, TensorColumn(address), count);
      if (why) {
        return TensorRefusal{"tensor_memory_not_allocated", *why};
      }
      for (unsigned first = IsHalf() ? lane : 0; first < kTensorLanes;
           first += IsHalf() ? 2 * kPieceLanes : kPieceLanes) {
        Add(TensorPieces(cta, first, TensorColumn(address), count, writes));
      }
      return std::nullopt;
    };
    if (const auto refusal = add(call_.d, Columns(), true)) {
      return refusal;
    }
    if (const auto refusal = call_.a_in_tensor
                                 ? add(static_cast<std::uint32_t>(call_.a), kDepthColumns, false)
                                 : AddShared(cta, a_, form_.a_k_major, form_.a, rows_, "A")) {
      return refusal;
    }
    if (const auto refusal = AddShared(cta, b_, form_.b_k_major, form_.b,
                                       form_.n / static_cast<unsigned>(call_.ctas.size()), "B")) {
      return refusal;
    }
    for (const bool of_b : {false, true}) {
      const unsigned count = of_b ? form_.n : rows_;
      const unsigned words = (count + kScaleLanes - 1) / kScaleLanes;
      if (call_.scale_count == 0) {
        continue;
      }
      if (ScaleLane(of_b) != 0) {
        return TensorRefusal{
            "bad_tensor_address",
            fmt::format("has the scales of {} from lane {} of tensor memory on, and not from lane "
                        "0",
                        of_b ? "B" : "A", ScaleLane(of_b))};
      }
      if (const auto refusal = add(call_.scales[of_b ? 1 : 0], words, false)) {
        return refusal;
      }
    }
  }
  return std::nullopt;
}

template <typename T>
T ValueOf(Type type, std::uint64_t bits) {
  if constexpr (std::is_integral_v<T>) {
    return type == Type::kS8 ? T{static_cast<std::int8_t>(bits)}
                             : T{static_cast<std::uint8_t>(bits)};
  } else {
    return static_cast<T>(FromSmall(type, bits));
  }
}

template <typename T>
T Product::Element(const Cta& cta, const SharedMatrix& matrix, bool k_major, Type type,
                   unsigned row, unsigned k) const {
  const unsigned along = form_.InUnit(type);
  const std::uint32_t unit = matrix.UnitOf(k_major, along, row, k);
  const unsigned first = (k_major ? k : row) % along * ProductForm::BitsOf(type);
  std::uint64_t bits = 0;
  // No element crosses four bytes from the one in which it begins.
  std::memcpy(&bits, &cta.shared[unit + first / 8],
              std::min<std::size_t>(4, kMatrixUnit - first / 8));
  return ValueOf<T>(type,
                    bits >> first % 8 & (~std::uint64_t{0} >> (64 - ProductForm::BitsOf(type))));
}

template <typename T>
T Product::ElementOfA(const Cta& cta, unsigned row, unsigned k) const {
  if (!call_.a_in_tensor) {
    return Element<T>(cta, a_, form_.a_k_major, form_.a, row, k);
  }
  const unsigned bit = k * form_.PitchOf(form_.a);
  const std::uint32_t word =
      cta.tensor->At(LaneOf(row, 0), TensorColumn(call_.a) + bit / kWordBits);
  return ValueOf<T>(form_.a, word >> (bit % kWordBits + form_.FirstBitOf(form_.a)) &
                                 (~std::uint64_t{0} >> (64 - ProductForm::BitsOf(form_.a))));
}

// Of a row of A or a column of B, as some 32 lanes have it.
double Product::ScaleOf(const Cta& cta, bool of_b, unsigned row, unsigned lanes, unsigned k) const {
  const std::uint32_t word =
      cta.tensor->At(lanes * kScaleLanes + row % kScaleLanes,
                     TensorColumn(call_.scales[of_b ? 1 : 0]) + row / kScaleLanes);
  const unsigned byte = form_.scale_ids[of_b ? 1 : 0] + k * call_.scale_count / form_.k;
  const std::uint32_t bits = word >> byte * kByte & 0xff;
  return form_.scale == Type::kUE8M0 ? FromSmall(Type::kUE8M0, bits)
                                     : FromSmall(Type::kE4M3, bits & 0x7f);
}

// B with its scales, once for each 32 rows of D.
template <typename T>
std::vector<T> Product::Scaled(const Cta& cta, const std::vector<T>& b) const {
  std::vector<T> scaled;
  scaled.reserve(b.size() * kTensorLanes / kScaleLanes);
  for (unsigned lanes = 0; lanes < kTensorLanes / kScaleLanes; ++lanes) {
    for (unsigned k = 0; k < form_.k; ++k) {
      for (unsigned n = 0; n < form_.n; ++n) {
        scaled.push_back(b[std::size_t{k} * form_.n + n] *
                         static_cast<T>(ScaleOf(cta, true, n, lanes, k)));
      }
    }
  }
  return scaled;
}

// Of floats: in f32, and of scaled ones in double precision, in the order of k.
template <typename T>
void Product::Multiply() const {
  const auto of_pair = static_cast<unsigned>(call_.ctas.size());
  std::vector<T> b(std::size_t{form_.k} * form_.n);
  for (unsigned n = 0; n < form_.n; ++n) {
    const unsigned each = form_.n / of_pair;
    for (unsigned k = 0; k < form_.k; ++k) {
      const T value = Element<T>(*call_.ctas[n / each], b_, form_.b_k_major, form_.b, n % each, k);
      b[std::size_t{k} * form_.n + n] = form_.negate_b ? -value : value;
    }
  }
  std::vector<T> sums(form_.n);
  for (unsigned rank = 0; rank < of_pair; ++rank) {
    Cta& cta = *call_.ctas[rank];
    const bool scales = call_.scale_count != 0;
    const std::vector<T> scaled = scales ? Scaled(cta, b) : std::vector<T>();
    for (unsigned row = 0; row < rows_; ++row) {
      const auto word = [&](unsigned n) -> std::uint32_t& {
        return cta.tensor->At(LaneOf(row, n), ColumnOf(n));
      };
      for (unsigned n = 0; n < form_.n; ++n) {
        T d{};
        if (!call_.accumulates) {
          d = 0;
        } else if constexpr (std::is_integral_v<T>) {
          d = static_cast<std::int32_t>(word(n));
        } else {
          d = form_.d == Type::kF16 ? static_cast<T>(FromSmall(Type::kF16, word(n) & 0xffff))
                                    : FromBits<float>(word(n));
          d = std::ldexp(d, -static_cast<int>(call_.scale));
        }
        sums[n] = d;
      }
      for (unsigned k = 0; k < form_.k; ++k) {
        T a = ElementOfA<T>(cta, row, k);
        a = form_.negate_a ? -a : a;
        const unsigned lanes = row / kScaleLanes;
        if (scales) {
          a *= static_cast<T>(ScaleOf(cta, false, row, lanes, k));
        }
        const T* const of_k = scales ? &scaled[(std::size_t{lanes} * form_.k + k) * form_.n]
                                     : &b[std::size_t{k} * form_.n];
        for (unsigned n = 0; n < form_.n; ++n) {
          sums[n] += a * of_k[n];
        }
      }
      for (unsigned n = 0; n < form_.n; ++n) {
        const unsigned lane = LaneOf(row, n);
        const unsigned bit = rank * kTensorLanes + lane;
        if ((call_.disabled[bit / kWordBits] >> bit % kWordBits & 1) == 0) {
          Write(&word(n), sums[n]);
        }
      }
    }
  }
}

template <typename T>
void Product::Write(std::uint32_t* word, T sum) const {
  if constexpr (std::is_integral_v<T>) {
    const T near = std::clamp<T>(sum, std::numeric_limits<std::int32_t>::min(),
                                 std::numeric_limits<std::int32_t>::max());
    *word = static_cast<std::uint32_t>(form_.saturate ? near : sum);
  } else {
    *word =
        static_cast<std::uint32_t>(form_.d == Type::kF16 ? ToSmall(Type::kF16, Round::kNearest, sum)
                                                         : ToBits(static_cast<float>(sum)));
  }
}

}  // namespace

std::shared_ptr<TensorOperation> MakeProduct(const ProductCall& call, TensorRefusal* refusal) {
  if (call.is_opaque) {
    return MakeOpaqueProduct(call, refusal);
  }
  std::string why;
  const auto form = ReadInstructionDescriptor(
      {call.kind, call.ctas.size() == 2, call.spread, call.scale_count}, call.descriptor, &why);
  if (!form) {
    *refusal = {
        "bad_instruction_descriptor",
        fmt::format("has the instruction descriptor {:#010x}, which {}", call.descriptor, why)};
    return nullptr;
  }
  SharedMatrix matrices[2];
  for (const bool is_b : {false, true}) {
    const std::uint64_t bits = is_b ? call.b : call.a;
    const auto matrix =
        !is_b && call.a_in_tensor ? SharedMatrix() : ReadMatrixDescriptor(bits, &why);
    if (!matrix) {
      *refusal = {
          "bad_matrix_descriptor",
          fmt::format("has the descriptor {:#018x} of {}, which {}", bits, is_b ? "B" : "A", why)};
      return nullptr;
    }
    matrices[is_b ? 1 : 0] = *matrix;
  }
  auto product = std::make_shared<Product>(call, *form, matrices[0], matrices[1]);
  if (product->IsOpaque()) {
    return MakeOpaqueProduct(call, refusal);
  }
  if (auto refused = product->Check()) {
    *refusal = *std::move(refused);
    return nullptr;
  }
  return product;
}

}  // namespace muster::ptx
