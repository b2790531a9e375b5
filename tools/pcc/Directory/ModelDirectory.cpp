//===- ModelDirectory.cpp - Directories of transformers -------------------===//

#include "tools/pcc/Directory/ModelDirectory.h"
#include "frontend/import/ModelConfig.h"
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

static constexpr StringLiteral kIndexEnding = ".safetensors.index.json";

/// The files that an index of shards names, none if it cannot be read. Fails if
/// it is not JSON.
static FailureOr<std::set<std::string>> shardsOf(StringRef index) {
  std::set<std::string> shards;
  auto text = llvm::MemoryBuffer::getFile(index);
  if (!text)
    return shards;
  auto parsed = llvm::json::parse((*text)->getBuffer());
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return failure();
  }
  if (const auto *root = parsed->getAsObject())
    if (const auto *map = root->getObject("weight_map"))
      for (const auto &entry : *map)
        if (auto file = entry.second.getAsString())
          shards.insert(file->str());
  return shards;
}

/// The files of weights that transformers reads: one by its usual name, or else
/// an index and its shards.
static std::set<std::string> weightsOf(StringRef folder,
                                       ArrayRef<std::string> names) {
  static const std::string kOne = "model.safetensors",
                           kIndex = "model" + kIndexEnding.str();
  if (llvm::is_contained(names, kOne))
    return {kOne};
  std::set<std::string> weights;
  if (llvm::is_contained(names, kIndex))
    if (auto shards = shardsOf(joined(folder, kIndex)); succeeded(shards)) {
      weights = *shards;
      weights.insert(kIndex);
      return weights;
    }
  for (StringRef name : names)
    if (name.ends_with(".safetensors") || name.ends_with(kIndexEnding))
      weights.insert(name.str());
  return weights;
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
  // Files that an index names may be missing; and git leaves pointers without
  // lfs.
  std::set<std::string> needed;
  for (const std::string &name : names) {
    if (StringRef(name).ends_with(".safetensors"))
      needed.insert(name);
    if (!StringRef(name).ends_with(kIndexEnding))
      continue;
    auto shards = shardsOf(joined(folder, name));
    if (failed(shards))
      return refuse(joined(folder, name), "is not JSON",
                    "download or save the model again");
    needed.insert(shards->begin(), shards->end());
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
                                       const frontend::ModelConfig &config) {
  auto found = config.quantization();
  if (!found)
    return success();
  std::string method = found->method.empty() ? "" : " (" + found->method + ")";
  return refuse(folder,
                "its weights are quantized" + method + ", by config.json's " +
                    found->key,
                "give the model before quantization; "
                "model.dequantize().save_pretrained(DIR) writes one for some "
                "methods");
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
  std::string problem;
  auto config = frontend::ModelConfig::read(file, problem);
  if (!config)
    return refuse(file, problem,
                  StringRef(problem).starts_with("cannot be read")
                      ? "give a directory whose files you may read"
                      : "model.save_pretrained(DIR) writes one");
  if (failed(checkQuantization(folder, *config)) ||
      failed(checkWeights(model, names, randomInit)))
    return failure();
  model.hasCode = config->hasCode();

  model.task = task.str();
  if (task.empty()) {
    std::string architecture = config->architecture();
    model.task = taskOf(architecture, config->isEncoderDecoder()).str();
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
  std::set<std::string> read = weightsOf(folder, names);
  for (const std::string &name : names)
    if (isCompanion(name, model.hasCode))
      read.insert(name);
  for (const std::string &name : read) {
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
