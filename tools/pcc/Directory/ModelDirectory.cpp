//===- ModelDirectory.cpp - Directories of transformers -------------------===//

#include "tools/pcc/Directory/ModelDirectory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace mlir;
using namespace pcc;

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Prints an error about `file` and the way out.
static LogicalResult refuse(StringRef file, const Twine &what,
                            const Twine &wayOut) {
  llvm::errs() << file << ": error: " << what << "\n"
               << file << ": note: " << wayOut << "\n";
  return failure();
}

static constexpr StringRef kTasks[] = {"causal-lm",
                                       "masked-lm",
                                       "seq2seq-lm",
                                       "sequence-classification",
                                       "token-classification",
                                       "image-classification"};

ArrayRef<StringRef> pcc::exportTasks() { return kTasks; }

/// The task of a class of transformers, such as "Qwen3ForCausalLM"; empty if it
/// is unknown.
static StringRef taskOf(StringRef architecture, bool isEncoderDecoder) {
  if (isEncoderDecoder && (architecture.ends_with("ForConditionalGeneration") ||
                           architecture.ends_with("MTModel") ||
                           architecture.ends_with("WithLMHeadModel")))
    return "seq2seq-lm";
  static constexpr std::pair<StringLiteral, StringLiteral> endings[] = {
      {"ForCausalLM", "causal-lm"},
      {"LMHeadModel", "causal-lm"},
      {"ForMaskedLM", "masked-lm"},
      {"ForSequenceClassification", "sequence-classification"},
      {"ForTokenClassification", "token-classification"},
      {"ForImageClassification", "image-classification"}};
  for (auto [ending, task] : endings)
    if (architecture.ends_with(ending))
      return task;
  return "";
}

/// The model's name: the last component of its real path. A snapshot in the
/// hub's cache (models--Qwen--Qwen3-0.6B/snapshots/HASH) has the repository's.
static std::string nameOf(StringRef folder) {
  SmallString<128> real;
  if (fs::real_path(folder, real))
    real = folder;
  StringRef above = path::parent_path(real);
  StringRef repository = path::filename(path::parent_path(above));
  if (path::filename(above) == "snapshots" &&
      repository.starts_with("models--"))
    return repository.rsplit("--").second.str();
  std::string name = path::filename(real).str();
  return name.empty() || name == "/" ? "model" : name;
}

/// Refuses a directory without config.json.
static LogicalResult refuseWithoutConfig(StringRef folder,
                                         ArrayRef<std::string> names) {
  std::string what = "has no config.json, so it is not a model directory of "
                     "transformers";
  std::error_code error;
  for (fs::directory_iterator it(joined(folder, "snapshots"), error), end;
       !error && it != end; it.increment(error))
    if (fs::exists(joined(it->path(), "config.json")))
      return refuse(folder, what,
                    "it is a folder of the hub's cache: give " + it->path());
  auto hasEnding = [&](StringRef ending) {
    return llvm::any_of(names,
                        [&](StringRef name) { return name.ends_with(ending); });
  };
  if (llvm::is_contained(names, "model_index.json"))
    return refuse(folder, what,
                  "it is a pipeline of diffusers, which pcc does not train");
  if (hasEnding(".gguf"))
    return refuse(folder, what,
                  "GGUF files hold weights for inference: give the directory "
                  "of the original model");
  if (llvm::is_contained(names, "params.json"))
    return refuse(folder, what,
                  "params.json is of the authors' own format: give the "
                  "directory of the model in transformers' format, which has a "
                  "config.json");
  for (StringRef name : names)
    if (name.ends_with(".onnx"))
      return refuse(folder, what,
                    "to compile the file in it, give " + joined(folder, name));
  return refuse(folder, what,
                "model.save_pretrained(DIR) writes one; pcc also reads .onnx "
                "files");
}

/// Refuses what is no whole, unquantized model in safetensors.
static LogicalResult checkWeights(ModelDirectory &model,
                                  ArrayRef<std::string> names,
                                  bool randomInit) {
  StringRef folder = model.path;
  auto has = [&](StringRef ending) {
    return llvm::any_of(names,
                        [&](StringRef name) { return name.ends_with(ending); });
  };
  model.hasWeights = has(".safetensors");
  if (!model.hasWeights && !randomInit) {
    for (StringRef ending : {".bin", ".pt", ".pth", ".h5", ".msgpack"})
      if (has(ending))
        return refuse(
            folder, "its weights are not in safetensors, but in *" + ending,
            "AutoModelForCausalLM.from_pretrained('" + folder +
                "').save_pretrained(DIR), or the model's other class of "
                "transformers, writes safetensors");
    for (StringRef name : names)
      if (name.ends_with(".onnx"))
        return refuse(folder, "has no weights: there is no *.safetensors",
                      "to compile the ONNX file in it, give " +
                          joined(folder, name));
    if (has(".gguf"))
      return refuse(folder, "its weights are in GGUF, for inference",
                    "give the directory of the original model");
    return refuse(folder, "has no weights: there is no *.safetensors",
                  "for random initial weights, which need config.json alone, "
                  "add --init random");
  }
  // The files that an index names; and pointers, which git leaves without lfs.
  std::set<std::string> needed;
  for (StringRef name : names) {
    if (name.ends_with(".safetensors"))
      needed.insert(name.str());
    if (!name.ends_with(".safetensors.index.json"))
      continue;
    auto text = llvm::MemoryBuffer::getFile(joined(folder, name));
    if (!text)
      continue;
    auto index = llvm::json::parse((*text)->getBuffer());
    if (!index) {
      llvm::consumeError(index.takeError());
      return refuse(joined(folder, name), "is not JSON",
                    "download or save the model again");
    }
    if (const auto *root = index->getAsObject())
      if (const auto *map = root->getObject("weight_map"))
        for (const auto &entry : *map)
          if (auto file = entry.second.getAsString())
            needed.insert(file->str());
  }
  for (const std::string &name : needed) {
    auto stamp = stampOf(folder, name);
    if (!stamp)
      return refuse(folder, "its weights are incomplete: there is no " + name,
                    "download or save the model again");
    if (stamp->size > 1024)
      continue;
    auto text = llvm::MemoryBuffer::getFile(joined(folder, name));
    if (text && (*text)->getBuffer().starts_with("version https://git-lfs"))
      return refuse(joined(folder, name),
                    "is a pointer of git-lfs, not the weights",
                    "run 'git lfs pull' in " + folder.str());
  }
  return success();
}

/// Refuses a configuration of quantized weights.
static LogicalResult checkQuantization(StringRef folder,
                                       const llvm::json::Object &config) {
  std::vector<const llvm::json::Object *> parts = {&config};
  if (const auto *text = config.getObject("text_config"))
    parts.push_back(text);
  for (const auto *part : parts)
    for (StringRef key : {"quantization_config", "compression_config"})
      if (const auto *how = part->getObject(key)) {
        auto method = how->getString("quant_method");
        return refuse(folder,
                      "its weights are quantized" +
                          (method ? " (" + *method + ")" : Twine()) +
                          ", by config.json's " + key,
                      "give the model before quantization; "
                      "model.dequantize().save_pretrained(DIR) writes one for "
                      "some methods");
      }
  return success();
}

FailureOr<ModelDirectory>
pcc::readModelDirectory(StringRef folder, StringRef task, bool randomInit) {
  ModelDirectory model;
  model.path = folder.str();
  model.name = nameOf(folder);
  std::error_code error;
  fs::directory_iterator readable(folder, error);
  if (error)
    return refuse(folder, "cannot be read: " + error.message(),
                  "give a directory that you may read");
  std::vector<std::string> names = filesOf(folder);
  if (llvm::is_contained(names, "adapter_config.json"))
    return refuse(folder, "is an adapter of PEFT, not a whole model",
                  "merge it into its model: peft.AutoPeftModelForCausalLM."
                  "from_pretrained('" +
                      folder + "').merge_and_unload().save_pretrained(DIR)");
  if (!llvm::is_contained(names, "config.json"))
    return refuseWithoutConfig(folder, names);

  std::string file = joined(folder, "config.json");
  auto text = llvm::MemoryBuffer::getFile(file);
  if (!text)
    return refuse(file, "cannot be read: " + text.getError().message(),
                  "give a directory whose files you may read");
  auto parsed = llvm::json::parse((*text)->getBuffer());
  if (!parsed)
    return refuse(file, "is not JSON: " + llvm::toString(parsed.takeError()),
                  "model.save_pretrained(DIR) writes one");
  const llvm::json::Object *config = parsed->getAsObject();
  if (!config)
    return refuse(file, "is not a JSON object",
                  "model.save_pretrained(DIR) writes one");
  if (failed(checkQuantization(folder, *config)) ||
      failed(checkWeights(model, names, randomInit)))
    return failure();
  model.hasCode = config->get("auto_map");

  model.task = task.str();
  if (task.empty()) {
    std::string architecture;
    if (const auto *all = config->getArray("architectures"))
      for (const auto &one : *all)
        if (architecture.empty())
          architecture = one.getAsString().value_or("").str();
    bool isEncoderDecoder =
        config->getBoolean("is_encoder_decoder").value_or(false);
    model.task = taskOf(architecture, isEncoderDecoder).str();
    if (model.task.empty())
      return refuse(folder,
                    architecture.empty()
                        ? Twine("its config.json has no 'architectures', from "
                                "which the task follows")
                        : "the task does not follow from the architecture '" +
                              Twine(architecture) + "' in its config.json",
                    "add --task with one of " +
                        llvm::join(exportTasks(), ", "));
  }
  for (const std::string &name : names) {
    if (!isOfExport(name))
      continue;
    auto stamp = stampOf(folder, name);
    if (!stamp)
      return refuse(joined(folder, name),
                    "cannot be read: " + stamp.getError().message(),
                    "give a directory whose files you may read");
    model.files.push_back(*stamp);
  }
  return model;
}

/// Whether a path that does not exist may be a model's name on the hub.
static bool mayBeOnHub(StringRef name) {
  auto isPart = [](StringRef part) {
    return !part.empty() && !part.starts_with(".") &&
           llvm::all_of(part, [](char c) {
             return llvm::isAlnum(c) || StringRef("-_.").contains(c);
           });
  };
  auto [owner, rest] = name.split('/');
  return isPart(owner) && (rest.empty() || isPart(rest)) &&
         !name.ends_with(".onnx") && !name.ends_with(".mlir");
}

LogicalResult pcc::checkModelPath(StringRef given) {
  if (given == "-")
    return success();
  if (!fs::exists(given)) {
    if (!mayBeOnHub(given))
      return success();
    StringRef name = path::filename(given);
    return refuse(given, "no such file or directory",
                  "to take a model of the Hugging Face Hub, download it: hf "
                  "download " +
                      given + " --local-dir " + name + ", then pcc " + name);
  }
  StringRef ending = path::extension(given);
  if (path::filename(given) == "config.json" || ending == ".safetensors" ||
      path::filename(given).ends_with(".safetensors.index.json"))
    return refuse(given, "is a part of a model directory",
                  "give the directory that holds config.json and the weights");
  if (ending == ".gguf")
    return refuse(given,
                  "GGUF files hold weights for inference, without the "
                  "model's graph",
                  "give the directory of the original model");
  for (StringRef pickled : {".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack"})
    if (ending == pickled)
      return refuse(given, "holds weights alone, without the model's graph",
                    "give the directory that save_pretrained writes, or an "
                    "ONNX file");
  return success();
}
