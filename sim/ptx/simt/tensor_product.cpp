// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Of the pair each CTA has half of the rows of A and D, and half of the columns of B. The places of
// D in tensor memory are those of "Data Path Layout Organization":
//   M of a CTA is 128 (layouts A and D)   row i in lane i
//   M is 64, one CTA (layout F)           row i in lane 32 (i / 16) + i % 16, or 16 lanes further
//   M is 128, a pair (layout B)           row i of the CTA's 64 in lane i, the second half of the
//                                         columns in lane 64 + i
#include "sim/ptx/simt/tensor_product.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "sim/ptx/alu/compute.h"
#include "sim/ptx/alu/small_float.h"
#include "sim/ptx/simt/shared_matrix.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {
namespace {

constexpr unsigned kWordBits = 32;
constexpr unsigned kDepthColumns = 8;  // of A in tensor memory: 32 bytes of each row

std::uint32_t Field(std::uint32_t bits, unsigned first, unsigned count) {
  return bits >> first & ((1U << count) - 1);
}

bool IsInteger(Type type) { return type == Type::kU8 || type == Type::kS8; }

unsigned BitsOf(Type type) {
  switch (type) {
    case Type::kTF32:
      return 32;
    case Type::kF16:
    case Type::kBF16:
      return 16;
    case Type::kE2M3:
    case Type::kE3M2:
      return 6;
    case Type::kE2M1:
      return 4;
    default:
      return 8;
  }
}

// The bits that an element takes in tensor memory, and on the average in shared memory: what is
// narrower than a byte is padded.
unsigned PaddedBits(Type type) { return std::max(BitsOf(type), 8U); }
unsigned InUnit(Type type) { return 8 * kMatrixUnit / PaddedBits(type); }

// In a byte of tensor memory e2m1 is in the middle, and 6 bits are the lower ones.
unsigned FirstBit(Type type) { return type == Type::kE2M1 ? 2 : 0; }

std::optional<Type> ElementOf(ProductKind kind, std::uint32_t code) {
  constexpr std::optional<Type> kSmall[] = {Type::kE4M3, Type::kE5M2, std::nullopt, Type::kE2M3,
                                            Type::kE3M2, Type::kE2M1, std::nullopt, std::nullopt};
  switch (kind) {
    case ProductKind::kF16:
      return code == 0   ? std::optional(Type::kF16)
             : code == 1 ? std::optional(Type::kBF16)
                         : std::nullopt;
    case ProductKind::kTF32:
      return code == 2 ? std::optional(Type::kTF32) : std::nullopt;
    case ProductKind::kI8:
      return code == 0   ? std::optional(Type::kU8)
             : code == 1 ? std::optional(Type::kS8)
                         : std::nullopt;
    case ProductKind::kF8F6F4:
      break;
  }
  return kSmall[code];
}

std::optional<Type> ResultOf(ProductKind kind, std::uint32_t code) {
  const bool half = code == 0 && (kind == ProductKind::kF16 || kind == ProductKind::kF8F6F4);
  const bool integer = kind == ProductKind::kI8;
  return half                          ? std::optional(Type::kF16)
         : code == (integer ? 2U : 1U) ? std::optional(integer ? Type::kS32 : Type::kF32)
                                       : std::nullopt;
}

// PTX, "Various combinations of .kind and shapes".
bool IsShape(ProductKind kind, bool pair, const ProductForm& form) {
  const unsigned halves = pair ? 2 : 1;
  const bool m = form.m == 64 * halves || form.m == 128 * halves;
  const bool integer = kind == ProductKind::kI8;
  const unsigned step = integer ? (pair ? 32 : form.n > 32 ? 16 : 8) : 8 * halves;
  const bool transposes_bytes = !form.b_k_major && PaddedBits(form.b) == 8;
  return m && form.n != 0 && form.n <= 256 && form.n % step == 0 &&
         (!transposes_bytes || form.n % (16 * halves) == 0);
}

}  // namespace

std::optional<ProductForm> ReadInstructionDescriptor(ProductKind kind, bool pair,
                                                     std::uint32_t bits, std::string* why) {
  const std::optional<Type> d = ResultOf(kind, Field(bits, 4, 2));
  const std::optional<Type> a = ElementOf(kind, Field(bits, 7, 3));
  const std::optional<Type> b = ElementOf(kind, Field(bits, 10, 3));
  const bool integer = kind == ProductKind::kI8;
  ProductForm form;
  form.m = Field(bits, 24, 5) * 16;
  form.n = Field(bits, 17, 6) * 8;
  form.negate_a = Field(bits, 13, 1) != 0;
  form.negate_b = Field(bits, 14, 1) != 0;
  form.a_k_major = Field(bits, 15, 1) == 0;
  form.b_k_major = Field(bits, 16, 1) == 0;
  form.saturate = Field(bits, 3, 1) != 0;
  if (!d || !a || !b) {
    *why = fmt::format("has the types {} of D, {} of A and {} of B, which the kind has not",
                       Field(bits, 4, 2), Field(bits, 7, 3), Field(bits, 10, 3));
    return std::nullopt;
  }
  form.a = *a;
  form.b = *b;
  form.d = *d;
  form.k = 8 * 2 * kMatrixUnit / PaddedBits(form.a);
  const auto narrow = [](Type type, bool k_major) { return !k_major && BitsOf(type) < 8; };
  if (Field(bits, 2, 1) != 0) {
    *why = "asks for a sparse A, and tcgen05.mma without .sp has none";
  } else if (Field(bits, 6, 1) != 0 || Field(bits, 23, 1) != 0 || Field(bits, 29, 1) != 0) {
    *why = "does not have zeroes in bits 6, 23 and 29";
  } else if (integer ? form.negate_a || form.negate_b : form.saturate) {
    *why = integer ? "negates integers" : "saturates what is no integer";
  } else if (form.d == Type::kF16 && kind == ProductKind::kF16 &&
             (form.a != Type::kF16 || form.b != Type::kF16)) {
    *why = "has sums of f16, and elements of bf16";
  } else if (!IsShape(kind, pair, form)) {
    *why = fmt::format("has M {} and N {}, a shape that the kind has not", form.m, form.n);
  } else if (narrow(form.a, form.a_k_major) || narrow(form.b, form.b_k_major)) {
    *why = "transposes elements of less than a byte";
  } else {
    return form;
  }
  return std::nullopt;
}

namespace {

class Product : public TensorOperation {
 public:
  Product(const ProductCall& call, const ProductForm& form, const SharedMatrix& a,
          const SharedMatrix& b)
      : call_(call),
        form_(form),
        a_(a),
        b_(b),
        rows_(form.m / static_cast<unsigned>(call.ctas.size())),
        split_(call.ctas.size() == 2 && rows_ == kTensorLanes / 2) {}

  std::optional<TensorRefusal> Check();

 private:
  void Execute() override {
    if (IsInteger(form_.a)) {
      Multiply<std::int64_t>();
    } else {
      Multiply<float>();
    }
  }
  bool IsHalf() const { return rows_ == kTensorLanes / 2 && !split_; }
  // Of a row of a CTA, and a column of D.
  unsigned LaneOf(unsigned row, unsigned column) const {
    return IsHalf() ? TensorLane(call_.d) + row / kPieceLanes * 2 * kPieceLanes + row % kPieceLanes
           : split_ ? row + (column < form_.n / 2 ? 0 : kTensorLanes / 2)
                    : row;
  }
  unsigned ColumnOf(unsigned column) const {
    return TensorColumn(call_.d) + (split_ ? column % (form_.n / 2) : column);
  }
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
  template <typename T>
  void Write(std::uint32_t* word, T sum) const;

  const ProductCall call_;
  const ProductForm form_;
  const SharedMatrix a_;
  const SharedMatrix b_;
  const unsigned rows_;  // of a CTA
  const bool split_;     // D: the halves of the columns lie one above the other
};

std::vector<std::uint32_t> Product::UnitsOf(const SharedMatrix& matrix, bool k_major, Type type,
                                            unsigned rows) const {
  const unsigned along = InUnit(type);
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
  AddUnits(cta, std::move(units), false);
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
  if (call_.a_in_tensor && (a_lane != lane || split_)) {
    return TensorRefusal{"bad_tensor_address",
                         split_ ? "has A in tensor memory, with M 128 of a pair of CTAs, which is "
                                  "not supported"
                                : "has A and D from different lanes of tensor memory on"};
  }
  const unsigned columns = split_ ? form_.n / 2 : form_.n;
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
    if (const auto refusal = add(call_.d, columns, true)) {
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
  const unsigned along = InUnit(type);
  const std::uint32_t unit = matrix.UnitOf(k_major, along, row, k);
  const unsigned first = (k_major ? k : row) % along * BitsOf(type);
  std::uint64_t bits = 0;
  // No element crosses four bytes from the one in which it begins.
  std::memcpy(&bits, &cta.shared[unit + first / 8],
              std::min<std::size_t>(4, kMatrixUnit - first / 8));
  return ValueOf<T>(type, bits >> first % 8 & (~std::uint64_t{0} >> (64 - BitsOf(type))));
}

template <typename T>
T Product::ElementOfA(const Cta& cta, unsigned row, unsigned k) const {
  if (!call_.a_in_tensor) {
    return Element<T>(cta, a_, form_.a_k_major, form_.a, row, k);
  }
  const unsigned bit = k * PaddedBits(form_.a);
  const std::uint32_t word =
      cta.tensor->At(LaneOf(row, 0), TensorColumn(call_.a) + bit / kWordBits);
  return ValueOf<T>(form_.a, word >> (bit % kWordBits + FirstBit(form_.a)) &
                                 (~std::uint64_t{0} >> (64 - BitsOf(form_.a))));
}

// Of floats: in f32, in the order of k.
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
        const T value = ElementOfA<T>(cta, row, k);
        const T a = form_.negate_a ? -value : value;
        const T* const of_k = &b[std::size_t{k} * form_.n];
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
    *word = static_cast<std::uint32_t>(
        form_.d == Type::kF16 ? ToSmall(Type::kF16, Round::kNearest, sum) : ToBits<float>(sum));
  }
}

}  // namespace

std::shared_ptr<TensorOperation> MakeProduct(const ProductCall& call, TensorRefusal* refusal) {
  std::string why;
  const bool pair = call.ctas.size() == 2;
  const auto form = ReadInstructionDescriptor(call.kind, pair, call.descriptor, &why);
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
  if (auto refused = product->Check()) {
    *refusal = *std::move(refused);
    return nullptr;
  }
  return product;
}

}  // namespace muster::ptx
