//===- OnnxRewrite.cpp - Adds initializers to an ONNX file ----------------===//

#include "runtime/model/OnnxRewrite.h"

#include "runtime/model/WireFormat.h"
#include "runtime/support/DType.h"
#include "runtime/support/Error.h"

#include <algorithm>
#include <map>
#include <set>

using namespace pcc;
using wire::Field;

namespace {
// Numbers of fields, from onnx.proto.
enum { ModelVersion = 1, ModelGraph = 7 };
enum {
  GraphNode = 1,
  GraphInitializer = 5,
  GraphInput = 11,
  GraphOutput = 12,
  GraphSparseInitializer = 15,
};
enum { NodeInput = 1, NodeOutput = 2, NodeOperator = 4 };
enum { SparseValues = 1 };
enum {
  TensorDims = 1,
  TensorDataType = 2,
  TensorName = 8,
  TensorRawData = 9,
};
const uint64_t valueName = 1;
// Before this version, initializers had to be inputs of the graph.
const uint64_t leastVersion = 4;
// The limit of protobuf parsers.
const int64_t greatestFile = INT32_MAX;

struct Node {
  Field field;
  std::vector<Field> inputs;
  std::string_view op, output;
  /// Whether it is a Constant that an initializer replaces.
  bool isReplaced = false;
};
} // namespace

/// Walks the file and collects the edits.
class OnnxRewrite::Walker {
public:
  Walker(OnnxRewrite &rewrite, const std::vector<NewInitializer> &tensors)
      : rewrite(rewrite), tensors(tensors) {}

  bool run();

private:
  /// Calls visit(field) for the fields of a message. Returns false if it is
  /// damaged or visit returns false.
  template <typename Visit>
  bool forEachField(const char *at, const char *end, Visit visit) {
    bool truncated = false;
    while (at < end) {
      Field field;
      if (!wire::readField(at, end, field, truncated) || !visit(field))
        return false;
    }
    return true;
  }
  bool collect(const Field &graph);
  bool collectNode(const Field &field);
  bool collectName(const Field &message, uint64_t number);
  bool collectInitializer(const Field &field);
  /// Returns the index of the new tensor that replaces a field in [begin, end);
  /// -1 if none does.
  int64_t replacing(const char *begin, const char *end) const;
  void chooseNames();
  int64_t rewireNode(int64_t number, const Node &node);
  int64_t addInitializers(const char *end);
  int64_t replace(const char *begin, const char *end, std::string text);
  int64_t resize(const Field &field, int64_t growth);

  OnnxRewrite &rewrite;
  const std::vector<NewInitializer> &tensors;
  std::vector<Field> graphs; ///< one, or several fields that form one graph
  std::vector<Node> nodes;   ///< of all `graphs`
  std::set<std::string, std::less<>> taken;
  /// Names of the replaced tensors, by the index of the new tensor.
  std::map<int64_t, std::string> oldNames;
  std::vector<Field> replaced; ///< initializers
  std::vector<std::string> names;
};

int64_t OnnxRewrite::Walker::replacing(const char *begin,
                                       const char *end) const {
  for (size_t t = 0; t < tensors.size(); ++t) {
    const char *at = rewrite.file + tensors[t].replaced;
    if (tensors[t].replaced >= 0 && at >= begin && at < end)
      return static_cast<int64_t>(t);
  }
  return -1;
}

bool OnnxRewrite::Walker::collectInitializer(const Field &field) {
  Field tensor = field;
  bool good = true;
  if (field.number == GraphSparseInitializer)
    good = forEachField(field.begin, field.end, [&](const Field &part) {
      if (part.number == SparseValues && part.type == wire::Bytes)
        tensor = part;
      return true;
    });
  int64_t t = replacing(field.tag, field.end);
  if (t < 0)
    return good && collectName(tensor, TensorName);
  replaced.push_back(field);
  return good && forEachField(tensor.begin, tensor.end, [&](const Field &part) {
           if (part.number == TensorName && part.type == wire::Bytes)
             oldNames[t] = part.text();
           return true;
         });
}

bool OnnxRewrite::Walker::collectName(const Field &message, uint64_t number) {
  return forEachField(message.begin, message.end, [&](const Field &field) {
    if (field.number == number && field.type == wire::Bytes)
      taken.emplace(field.text());
    return true;
  });
}

bool OnnxRewrite::Walker::collectNode(const Field &field) {
  Node node = {field, {}, {}, {}, false};
  bool good = forEachField(field.begin, field.end, [&](const Field &part) {
    if (part.type != wire::Bytes)
      return true;
    if (part.number == NodeInput)
      node.inputs.push_back(part);
    else if (part.number == NodeOutput)
      taken.emplace(node.output = part.text());
    else if (part.number == NodeOperator)
      node.op = part.text();
    return true;
  });
  if (int64_t t = replacing(field.begin, field.end); t >= 0) {
    node.isReplaced = true;
    oldNames[t] = node.output;
  }
  nodes.push_back(node);
  return good;
}

bool OnnxRewrite::Walker::collect(const Field &graph) {
  return forEachField(graph.begin, graph.end, [&](const Field &field) {
    if (field.type != wire::Bytes)
      return true;
    switch (field.number) {
    case GraphNode:
      return collectNode(field);
    case GraphInitializer:
    case GraphSparseInitializer:
      return collectInitializer(field);
    case GraphInput:
    case GraphOutput:
      return collectName(field, valueName);
    default:
      return true;
    }
  });
}

static bool isIdentity(const Node &node, std::string_view name) {
  return node.op == "Identity" && node.output == name;
}

void OnnxRewrite::Walker::chooseNames() {
  for (size_t t = 0; t < tensors.size(); ++t) {
    const NewInitializer &tensor = tensors[t];
    if (auto old = oldNames.find(t); old != oldNames.end()) {
      names.push_back(old->second);
      continue;
    }
    std::string name = tensor.name;
    for (const Node &node : nodes)
      if (isIdentity(node, name))
        taken.erase(name); // the Identity will be removed
    for (int i = 1; !taken.insert(name).second; ++i)
      name = tensor.name + "_" + std::to_string(i);
    names.push_back(name);
  }
}

/// Adds an edit. Like the functions below, returns the growth in bytes.
int64_t OnnxRewrite::Walker::replace(const char *begin, const char *end,
                                     std::string text) {
  int64_t growth = static_cast<int64_t>(text.size()) - (end - begin);
  rewrite.edits.push_back({begin - rewrite.file, end - begin, std::move(text)});
  return growth;
}

/// Updates the length of a message whose content grows.
int64_t OnnxRewrite::Walker::resize(const Field &field, int64_t growth) {
  std::string head;
  wire::putVarint(head, field.number << 3 | wire::Bytes);
  wire::putVarint(head, field.varint + growth);
  return growth + replace(field.tag, field.begin, head);
}

int64_t OnnxRewrite::Walker::rewireNode(int64_t number, const Node &node) {
  if (node.isReplaced)
    return replace(node.field.tag, node.field.end, "");
  std::map<int64_t, std::string_view> read; // by operand
  for (size_t t = 0; t < tensors.size(); ++t) {
    if (isIdentity(node, names[t]))
      return replace(node.field.tag, node.field.end, "");
    for (const pcc_use &use : tensors[t].uses)
      if (use.node == number)
        read[use.operand] = names[t];
  }
  int64_t growth = 0, count = node.inputs.size();
  for (int64_t i = 0; i < count; ++i) {
    const Field &input = node.inputs[i];
    auto own = read.find(i), next = read.find(count);
    bool isLast = i + 1 == count && next != read.end();
    if (own == read.end() && !isLast)
      continue;
    // An operand that the node lacked goes after the last one, in one edit.
    std::string fields;
    if (own == read.end())
      fields.assign(input.tag, input.end);
    else
      wire::putBytes(fields, NodeInput, own->second);
    if (isLast)
      wire::putBytes(fields, NodeInput, next->second);
    growth += replace(input.tag, input.end, fields);
  }
  return growth ? resize(node.field, growth) : 0;
}

/// Inserts the new tensors before `end`. Their offsets are relative to the
/// inserted text until all edits before it are known.
int64_t OnnxRewrite::Walker::addInitializers(const char *end) {
  std::string text;
  for (size_t t = 0; t < tensors.size(); ++t) {
    const NewInitializer &tensor = tensors[t];
    std::string message;
    for (int64_t size : tensor.shape)
      wire::putNumber(message, TensorDims, size);
    wire::putNumber(message, TensorDataType, infoOf(tensor.dtype).onnx);
    wire::putBytes(message, TensorName, names[t]);
    wire::putBytes(message, TensorRawData, std::string(tensor.bytes, '\0'));
    wire::putBytes(text, GraphInitializer, message);
    rewrite.offsets.push_back(text.size() - tensor.bytes);
  }
  return replace(end, end, std::move(text));
}

bool OnnxRewrite::Walker::run() {
  const char *file = rewrite.file, *end = file + rewrite.fileSize;
  uint64_t version = 0;
  bool good = forEachField(file, end, [&](const Field &field) {
    if (field.number == ModelVersion && field.type == wire::Varint)
      version = field.varint;
    if (field.number != ModelGraph || field.type != wire::Bytes)
      return true;
    graphs.push_back(field);
    return collect(field);
  });
  for (const NewInitializer &tensor : tensors)
    for (const pcc_use &use : tensor.uses)
      good &=
          use.node >= 0 && use.node < static_cast<int64_t>(nodes.size()) &&
          use.operand >= 0 && !nodes[use.node].inputs.empty() &&
          use.operand <= static_cast<int64_t>(nodes[use.node].inputs.size());
  // A tensor that is only replaced is already an input of the graph if its
  // version requires this.
  bool onlyReplaces = replaced.size() == tensors.size();
  for (size_t t = 0; t < tensors.size(); ++t)
    good &= tensors[t].replaced < 0 || oldNames.count(t);
  if (!good || graphs.empty() || (version < leastVersion && !onlyReplaces))
    return false;

  chooseNames();
  auto node = nodes.begin();
  for (const Field &graph : graphs) {
    int64_t growth = 0;
    for (; node != nodes.end() && node->field.tag < graph.end; ++node)
      growth += rewireNode(node - nodes.begin(), *node);
    for (const Field &field : replaced)
      if (field.tag >= graph.begin && field.tag < graph.end)
        growth += replace(field.tag, field.end, "");
    if (&graph == &graphs.back())
      growth += addInitializers(graph.end);
    if (growth)
      resize(graph, growth);
  }
  std::vector<Edit> &edits = rewrite.edits;
  std::sort(edits.begin(), edits.end(),
            [](const Edit &a, const Edit &b) { return a.at < b.at; });
  return true;
}

OnnxRewrite::OnnxRewrite(const char *file, int64_t size,
                         const std::vector<NewInitializer> &tensors,
                         std::string &error)
    : file(file), fileSize(size) {
  if (tensors.empty())
    return;
  Walker walker(*this, tensors);
  if (!walker.run()) {
    error = "it is not the graph that was compiled, or its IR version is less "
            "than 4";
    return;
  }
  // The new tensors were inserted at the end of the old file's graph.
  const Edit &last = *std::find_if(edits.begin(), edits.end(), [&](auto &e) {
    return !e.removed && !e.inserted.empty();
  });
  int64_t start = placeOf(last.at) - static_cast<int64_t>(last.inserted.size());
  for (int64_t &place : offsets)
    place += start;
  if (this->size() > greatestFile)
    error = "it would be larger than 2 GiB, the limit of protobuf parsers";
}

int64_t OnnxRewrite::placeOf(int64_t offset) const {
  int64_t place = offset;
  for (const Edit &edit : edits)
    if (edit.at + edit.removed <= offset)
      place += static_cast<int64_t>(edit.inserted.size()) - edit.removed;
  return place;
}
