//===- Attributes.h - Attributes that an operator may have ------*- C++ -*-===//
//
// A table entry lists the attributes of its operator:
//
//   attributes(intAttr("blocksize").required(),
//              stringAttr("mode").only("DCR|CRD").since(11))
//
// A node with any other attribute or value is an error that names it: ignoring
// it would train another model. test/Backend/schemas.py compares the lists with
// ONNX's own schemas.
//
//===----------------------------------------------------------------------===//

#ifndef PCC_FRONTEND_BINDING_ATTRIBUTES_H
#define PCC_FRONTEND_BINDING_ATTRIBUTES_H

#include "frontend/onnx/Reader.h"
#include <vector>

namespace pcc::frontend {

/// The newest version of ONNX's own operator set that the import table was
/// compared with. Files with a newer one are an error.
inline constexpr int64_t kNewestOpset = 28;

/// The newest IR version whose fields are all handled. Files with a newer one
/// get a warning.
inline constexpr int64_t kNewestFormat = 14;

/// `until` of a table entry or attribute that applies to all later versions.
inline constexpr int64_t kAnyOpset = 1000;

/// An attribute that an operator may have.
struct KnownAttribute {
  /// The type of the value: an integer, float, string, tensor, or a list.
  using Type = onnx::AttributeProto::AttributeType;

  /// An optional attribute with any value at any opset.
  KnownAttribute(llvm::StringRef name, Type type) : name(name), type(type) {}
  /// Restricts the values to those in `list`, separated by '|'. The list
  /// includes the default.
  KnownAttribute only(llvm::StringRef list) const;
  /// Restricts the attribute to operator sets from `version` on.
  KnownAttribute since(int64_t version) const;
  /// Restricts the attribute to operator sets up to `version`.
  KnownAttribute until(int64_t version) const;
  /// Makes the attribute mandatory.
  KnownAttribute required() const;

  /// The supported values; empty for all.
  llvm::SmallVector<llvm::StringRef> supportedValues() const;

  /// The attribute's name in nodes.
  llvm::StringRef name;
  Type type;
  /// The argument of only(); empty for all values.
  llvm::StringRef values;
  /// The first and last version of the operator set with the attribute.
  int64_t first = 1, last = kAnyOpset;
  /// Whether it is mandatory.
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

/// The list of attributes of a table entry.
template <typename... Attributes>
std::vector<KnownAttribute> attributes(Attributes... list) {
  return {list...};
}

/// Describes the first problem of a node's attributes: an attribute that is not
/// in `known` at version `opset` of the operator set, is given twice, or has
/// another type or value; or a missing mandatory one. "" if there is none.
std::string findAttributeProblem(const onnx::NodeProto &node,
                                 llvm::ArrayRef<KnownAttribute> known,
                                 int64_t opset);

} // namespace pcc::frontend

#endif // PCC_FRONTEND_BINDING_ATTRIBUTES_H
