//===- Attributes.cpp - Attributes that an operator may have --------------===//

#include "frontend/binding/Attributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace pcc::frontend;
using onnx::AttributeProto;

KnownAttribute KnownAttribute::only(StringRef list) const {
  KnownAttribute result = *this;
  result.values = list;
  return result;
}

KnownAttribute KnownAttribute::since(int64_t version) const {
  KnownAttribute result = *this;
  result.first = version;
  return result;
}

KnownAttribute KnownAttribute::until(int64_t version) const {
  KnownAttribute result = *this;
  result.last = version;
  return result;
}

KnownAttribute KnownAttribute::required() const {
  KnownAttribute result = *this;
  result.isRequired = true;
  return result;
}

SmallVector<StringRef> KnownAttribute::supportedValues() const {
  SmallVector<StringRef> list;
  values.split(list, '|', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return list;
}

KnownAttribute pcc::frontend::intAttr(StringRef name) {
  return {name, AttributeProto::INT};
}
KnownAttribute pcc::frontend::flagAttr(StringRef name) {
  return intAttr(name).only("0|1");
}
KnownAttribute pcc::frontend::floatAttr(StringRef name) {
  return {name, AttributeProto::FLOAT};
}
KnownAttribute pcc::frontend::stringAttr(StringRef name) {
  return {name, AttributeProto::STRING};
}
KnownAttribute pcc::frontend::intsAttr(StringRef name) {
  return {name, AttributeProto::INTS};
}
KnownAttribute pcc::frontend::floatsAttr(StringRef name) {
  return {name, AttributeProto::FLOATS};
}
KnownAttribute pcc::frontend::stringsAttr(StringRef name) {
  return {name, AttributeProto::STRINGS};
}
KnownAttribute pcc::frontend::tensorAttr(StringRef name) {
  return {name, AttributeProto::TENSOR};
}
KnownAttribute pcc::frontend::sparseTensorAttr(StringRef name) {
  return {name, AttributeProto::SPARSE_TENSOR};
}
KnownAttribute pcc::frontend::graphAttr(StringRef name) {
  return {name, AttributeProto::GRAPH};
}
KnownAttribute pcc::frontend::autoPadAttr() {
  return stringAttr("auto_pad").only("NOTSET|SAME_UPPER|SAME_LOWER|VALID");
}

/// Whether a value of `type` is set; a list without elements may be absent.
static bool hasField(const AttributeProto &given, KnownAttribute::Type type) {
  switch (type) {
  case AttributeProto::INT:
    return given.has_i();
  case AttributeProto::FLOAT:
    return given.has_f();
  case AttributeProto::STRING:
    return given.has_s();
  case AttributeProto::TENSOR:
    return given.has_t();
  case AttributeProto::GRAPH:
    return given.has_g();
  case AttributeProto::SPARSE_TENSOR:
    return given.has_sparse_tensor();
  default:
    return true;
  }
}

/// A single number or string as text; "" for other types.
static std::string valueText(const AttributeProto &given,
                             KnownAttribute::Type type) {
  switch (type) {
  case AttributeProto::INT:
    return std::to_string(given.i());
  case AttributeProto::FLOAT: {
    std::string text;
    llvm::raw_string_ostream(text) << given.f();
    return text;
  }
  case AttributeProto::STRING:
    return given.s();
  default:
    return "";
  }
}

static bool isSupported(const AttributeProto &given,
                        const KnownAttribute &known) {
  SmallVector<StringRef> values = known.supportedValues();
  if (values.empty())
    return true;
  return llvm::any_of(values, [&](StringRef value) {
    double number = 0;
    if (known.type == AttributeProto::FLOAT)
      return !value.getAsDouble(number) && given.f() == float(number);
    return valueText(given, known.type) == value;
  });
}

static std::string typeText(KnownAttribute::Type type) {
  return AttributeProto::AttributeType_IsValid(type)
             ? AttributeProto::AttributeType_Name(type)
             : std::to_string(type);
}

/// Describes the problem of an attribute that `known` specifies; "" if there is
/// none.
static std::string findValueProblem(const AttributeProto &given,
                                    const KnownAttribute &known) {
  std::string name = "its attribute '" + given.name() + "'";
  if (!given.ref_attr_name().empty())
    return name + " refers to one of a function, outside of a function";
  // Files of IR version 2 and older need not say the type.
  bool saysType = given.type() != AttributeProto::UNDEFINED;
  if (saysType && given.type() != known.type)
    return name + " has type " + typeText(given.type()) + ", not " +
           typeText(known.type);
  if (!hasField(given, known.type))
    return name + " has no value of type " + typeText(known.type);
  if (isSupported(given, known))
    return "";
  SmallVector<StringRef> values = known.supportedValues();
  return name + " is '" + valueText(given, known.type) + "'; supported " +
         (values.size() == 1 ? "is " : "are ") + llvm::join(values, ", ");
}

std::string pcc::frontend::findAttributeProblem(const onnx::NodeProto &node,
                                                ArrayRef<KnownAttribute> known,
                                                int64_t opset) {
  auto isAt = [&](const KnownAttribute &attribute) {
    return attribute.first <= opset && opset <= attribute.last;
  };
  llvm::StringSet<> seen;
  for (const AttributeProto &given : node.attribute()) {
    std::string name = "its attribute '" + given.name() + "'";
    if (!seen.insert(given.name()).second)
      return name + " is given twice";
    const KnownAttribute *found =
        llvm::find_if(known, [&](const KnownAttribute &one) {
          return one.name == given.name();
        });
    if (found == known.end())
      return name + " is not supported";
    if (!isAt(*found))
      return name + " does not exist at opset " + std::to_string(opset);
    if (std::string problem = findValueProblem(given, *found); !problem.empty())
      return problem;
  }
  for (const KnownAttribute &attribute : known)
    if (attribute.isRequired && isAt(attribute) &&
        !seen.contains(attribute.name))
      return "it lacks its attribute '" + attribute.name.str() + "'";
  return "";
}
