//===- Attributes.h - The attributes that an operator may have --*- C++ -*-===//
//
// A row of the import table lists the attributes of its operator:
//
//   attributes(intAttr("blocksize").required(),
//              stringAttr("mode").only("DCR|CRD").since(11))
//
// A node with any other attribute, or with another value, is refused by name:
// to ignore it would train another model. test/Backend/schemas.py compares the
// lists with ONNX's own schemas.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_BINDING_ATTRIBUTES_H
#define PCC_FRONTEND_BINDING_ATTRIBUTES_H

#include "frontend/onnx/Reader.h"
#include <vector>

namespace pcc::frontend {

/// The newest version of ONNX's own operator set whose operators were compared
/// with the import table. Files of a newer one are refused.
inline constexpr int64_t kNewestOpset = 28;

/// The newest version of the file format that was read with all its fields in
/// mind. Files of a newer one are warned of.
inline constexpr int64_t kNewestFormat = 14;

/// `until` of a row or attribute that holds for all later versions.
inline constexpr int64_t kAnyOpset = 1000;

/// An attribute that an operator may have.
struct KnownAttribute {
  /// Of the value: an integer, a float, a string, lists of these, a tensor.
  using Type = onnx::AttributeProto::AttributeType;

  /// An attribute of any value at any opset, which a node may lack.
  KnownAttribute(llvm::StringRef name, Type type) : name(name), type(type) {}
  /// Restricts the values to those listed, separated by '|'. The list includes
  /// the default.
  KnownAttribute only(llvm::StringRef list) const;
  /// Restricts the attribute to operator sets from `version` on.
  KnownAttribute since(int64_t version) const;
  /// Restricts the attribute to operator sets up to `version`.
  KnownAttribute until(int64_t version) const;
  /// Refuses nodes that lack the attribute.
  KnownAttribute required() const;

  /// The values that are supported; empty for all.
  llvm::SmallVector<llvm::StringRef> supportedValues() const;

  /// The attribute's name, as nodes have it.
  llvm::StringRef name;
  /// The type of its value.
  Type type;
  /// As only() takes it; empty for all values.
  llvm::StringRef values;
  /// The first and the last version of the operator set that has it.
  int64_t first = 1, last = kAnyOpset;
  /// Whether a node that lacks it is refused.
  bool isRequired = false;
};

/// An attribute of type INT.
KnownAttribute intAttr(llvm::StringRef name);
/// An attribute of type INT that is 0 or 1.
KnownAttribute flagAttr(llvm::StringRef name);
/// An attribute of type FLOAT.
KnownAttribute floatAttr(llvm::StringRef name);
/// An attribute of type STRING.
KnownAttribute stringAttr(llvm::StringRef name);
/// An attribute of type INTS.
KnownAttribute intsAttr(llvm::StringRef name);
/// An attribute of type FLOATS.
KnownAttribute floatsAttr(llvm::StringRef name);
/// An attribute of type STRINGS.
KnownAttribute stringsAttr(llvm::StringRef name);
/// An attribute of type TENSOR.
KnownAttribute tensorAttr(llvm::StringRef name);
/// An attribute of type SPARSE_TENSOR.
KnownAttribute sparseTensorAttr(llvm::StringRef name);
/// An attribute of type GRAPH.
KnownAttribute graphAttr(llvm::StringRef name);
/// `auto_pad` of convolutions and pools.
KnownAttribute autoPadAttr();

/// A row's list of attributes.
template <typename... Attributes>
std::vector<KnownAttribute> attributes(Attributes... list) {
  return {list...};
}

/// Says what is wrong with the attributes of a node: one that is not in `known`
/// at version `opset` of the operator set, is given twice, or has another type
/// or value; or a required one that is missing. "" if nothing is.
std::string findAttributeProblem(const onnx::NodeProto &node,
                                 llvm::ArrayRef<KnownAttribute> known,
                                 int64_t opset);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_BINDING_ATTRIBUTES_H
