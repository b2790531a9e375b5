//===- ModelFile.cpp - The parameters as safetensors files ----------------===//

#include "runtime/model/ModelFile.h"

#include "runtime/Backend.h"
#include "runtime/model/BlockPlan.h"
#include "runtime/model/SavedFiles.h"
#include "runtime/support/DType.h"
#include "runtime/support/Files.h"

#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace pcc;

/// Bytes before and after a block, for elements that cross its ends.
static const int64_t slack = 8;
/// Digits of a hash.
static const size_t hashDigits = 32;

namespace {
/// Writes this rank's blocks of a file with these tensors.
class Writer {
public:
  Writer(const TrainingState &state, int64_t step, const std::string &path,
         const std::vector<bool> &writers, std::vector<SourceTensor> tensors);

  std::string write(FileHashes &written);

private:
  /// Returns the bytes of the file in a block; the last block may be shorter.
  Span bytesOf(size_t block) const;
  /// Returns the elements of a part's tensor with bytes in a block.
  Span windowOf(size_t block, const SourcePart &part) const;
  int64_t placeOf(const SourcePart &part) const {
    return plan.placeOf(part.source - sources.data());
  }
  bool owns(size_t block) const {
    return plan.blocks()[block].owner == backend::rank();
  }
  void open();
  /// Assembles a block in `buffer` from this rank's and other ranks' elements.
  void assemble(size_t block);
  /// Sends this rank's elements of another rank's block to the owner.
  void sendElements(size_t block);
  /// Hashes and writes the assembled block.
  void writeBlock(size_t block);
  void close();
  void gatherHashes();

  const TrainingState &state;
  const std::string &path;
  std::vector<SourceTensor> sources;
  std::string header;
  BlockPlan plan;
  int file = -1;
  std::string error;
  std::vector<char> buffer; ///< a block with slack before and after it
  std::vector<char> packed;
  std::vector<std::string> hashes; ///< by block
  int64_t before = -1; ///< offset of the last block that was written
};
} // namespace

static std::string headerOf(const std::vector<SourceTensor> &sources,
                            int64_t step) {
  std::vector<SafeTensorsEntry> entries;
  for (const SourceTensor &tensor : sources)
    entries.push_back({tensor.map.savedName, dtypeName(tensor.map.dtype),
                       tensor.map.shape, tensor.bytes()});
  return safeTensorsHeader(entries, {{"step", std::to_string(step)}});
}

Writer::Writer(const TrainingState &state, int64_t step,
               const std::string &path, const std::vector<bool> &writers,
               std::vector<SourceTensor> tensors)
    : state(state), path(path), sources(std::move(tensors)),
      header(headerOf(sources, step)),
      plan(state.program, sources, header.size(), writers),
      hashes(plan.blocks().size()) {}

Span Writer::bytesOf(size_t block) const {
  int64_t begin = static_cast<int64_t>(block) * hashedBlock;
  return {begin, std::min(begin + hashedBlock, plan.fileBytes())};
}

Span Writer::windowOf(size_t block, const SourcePart &part) const {
  Span bytes = bytesOf(block);
  int64_t place = placeOf(part), size = sizeOf(part.source->map.dtype);
  return common({std::max<int64_t>(bytes.begin - place, 0) / size,
                 (bytes.end - place + size - 1) / size},
                {0, part.source->map.elements()});
}

void Writer::open() {
  bool isOwner = backend::rank() == 0;
  for (size_t block = 0; block < hashes.size(); ++block)
    isOwner = isOwner || owns(block);
  if (backend::rank() == 0) {
    file = createDescriptor(path);
    if (file < 0 || ftruncate(file, plan.fileBytes()))
      error = cannotWrite(path);
  }
  backend::maxOverRanks(0); // the file exists
  if (isOwner && backend::rank() != 0) {
    file = ::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0)
      error = cannotWrite(path);
  }
  if (isOwner)
    buffer.resize(hashedBlock + 2 * slack);
}

void Writer::assemble(size_t number) {
  const BlockPlan::Block &block = plan.blocks()[number];
  Span bytes = bytesOf(number);
  std::fill(buffer.begin(), buffer.end(), '\0');
  // Returns the address in `buffer` of a window's first element.
  auto addressOf = [&](const SourcePart &part, Span window) {
    int64_t place =
        placeOf(part) + window.begin * sizeOf(part.source->map.dtype);
    return buffer.data() + (slack + place - bytes.begin);
  };
  if (bytes.begin < static_cast<int64_t>(header.size()))
    memcpy(buffer.data() + slack, header.data() + bytes.begin,
           std::min<int64_t>(bytes.end, header.size()) - bytes.begin);
  const SourceTensor *filled = nullptr;
  for (const SourcePart *part : block.parts)
    if (part->source != filled && part->source->isFromFile()) {
      filled = part->source;
      Span window = windowOf(number, *part);
      fillFromFile(state.files, *filled, window, addressOf(*part, window));
    }
  for (size_t i = 0; i < block.parts.size();) {
    int rank = block.parts[i]->rank;
    size_t next = i;
    int64_t size = 0;
    packed.clear();
    for (; next < block.parts.size() && block.parts[next]->rank == rank;
         ++next) {
      const SourcePart &part = *block.parts[next];
      if (rank == backend::rank())
        pack(state.arena, part, windowOf(number, part), packed);
      else
        size += packedBytes(part, windowOf(number, part));
    }
    if (size > 0) {
      packed.resize(size);
      backend::receive(packed.data(), size, rank);
    }
    const char *from = packed.data();
    for (; i < next; ++i) {
      Span window = windowOf(number, *block.parts[i]);
      from = unpack(*block.parts[i], window, from,
                    addressOf(*block.parts[i], window));
    }
  }
}

void Writer::sendElements(size_t number) {
  const BlockPlan::Block &block = plan.blocks()[number];
  packed.clear();
  for (const SourcePart *part : block.parts)
    if (part->rank == backend::rank())
      pack(state.arena, *part, windowOf(number, *part), packed);
  if (!packed.empty())
    backend::send(packed.data(), packed.size(), block.owner);
}

void Writer::writeBlock(size_t block) {
  Span bytes = bytesOf(block);
  const char *data = buffer.data() + slack;
  HashThread *hashThread = HashThread::find();
  auto hash = [&] { hashes[block] = hashText(data, bytes.size()); };
  if (hashThread)
    hashThread->add(hash);
  if (error.empty() &&
      !writeAt(file, path, data, bytes.size(), bytes.begin, before))
    error = cannotWrite(path);
  before = bytes.begin;
  if (hashThread)
    hashThread->wait();
  else
    hash();
}

void Writer::close() {
  if (file < 0)
    return;
  std::string atEnd = syncAndClose(file, path);
  if (error.empty())
    error = atEnd;
}

void Writer::gatherHashes() {
  std::string own;
  for (size_t block = 0; block < hashes.size(); ++block)
    if (owns(block))
      own += hashes[block];
  if (backend::rank() != 0) {
    if (!own.empty())
      backend::send(own.data(), own.size(), 0);
    return;
  }
  std::map<int, std::vector<size_t>> blocks;
  for (size_t block = 0; block < hashes.size(); ++block)
    if (!owns(block))
      blocks[plan.blocks()[block].owner].push_back(block);
  for (auto &[rank, numbers] : blocks) {
    own.resize(numbers.size() * hashDigits);
    backend::receive(own.data(), own.size(), rank);
    for (size_t i = 0; i < numbers.size(); ++i)
      hashes[numbers[i]] = own.substr(i * hashDigits, hashDigits);
  }
}

std::string Writer::write(FileHashes &written) {
  open();
  // The block of this rank that is assembled but not written yet.
  const size_t none = hashes.size();
  size_t own = none;
  int64_t round = 0;
  for (size_t block = 0; block <= hashes.size(); ++block) {
    bool ends = block == hashes.size() || plan.blocks()[block].round != round;
    if (ends && own != none) {
      writeBlock(own);
      own = none;
    }
    if (block == hashes.size())
      break;
    round = plan.blocks()[block].round;
    if (owns(block)) {
      assemble(block);
      own = block;
    } else {
      sendElements(block);
    }
  }
  close();
  gatherHashes();
  written.bytes = plan.fileBytes();
  written.headerBytes = header.size();
  written.header = hashText(header.data(), header.size());
  written.blocks = hashes;
  return error;
}

/// Returns the tensors of each shard, in their order.
static std::vector<std::vector<SourceTensor>>
divideIntoShards(std::vector<SourceTensor> sources, int64_t most) {
  std::vector<std::vector<SourceTensor>> shards(1);
  int64_t bytes = 0;
  for (SourceTensor &source : sources) {
    if (!shards.back().empty() && source.bytes() > most - bytes) {
      shards.emplace_back();
      bytes = 0;
    }
    bytes += source.bytes();
    shards.back().push_back(std::move(source));
  }
  return shards;
}

/// Writes the file that names the shard of each tensor.
static std::string
writeIndex(const std::string &path,
           const std::vector<std::vector<SourceTensor>> &shards) {
  // Sorted by name, as transformers writes it.
  nlohmann::json names = nlohmann::json::object();
  int64_t bytes = 0;
  for (size_t i = 0; i < shards.size(); ++i)
    for (const SourceTensor &source : shards[i]) {
      names[source.map.savedName] = shardFile(i, shards.size());
      bytes += source.bytes();
    }
  nlohmann::json index = {{"metadata", {{"total_size", bytes}}},
                          {"weight_map", names}};
  // Names may not be UTF-8.
  return writeFile(path, index.dump(2, ' ', false,
                                    nlohmann::json::error_handler_t::replace) +
                             "\n");
}

std::string pcc::writeModel(const TrainingState &state, int64_t step,
                            const std::string &folder,
                            const std::vector<bool> &writers,
                            const ModelForm &form, WrittenShards &written) {
  std::vector<std::vector<SourceTensor>> shards = divideIntoShards(
      sourceTensors(state.program, form.types), form.shardBytes);
  std::string error;
  if (shards.size() > 1 && backend::rank() == 0)
    error = writeIndex(folder + "/" + indexFile, shards);
  for (size_t i = 0; i < shards.size(); ++i) {
    std::string name = shardFile(i, shards.size());
    std::string path = folder + "/" + name;
    // All ranks take part in each file, also after an error.
    std::string failed =
        Writer(state, step, path, writers, std::move(shards[i]))
            .write(written[name]);
    if (error.empty())
      error = failed;
  }
  return error;
}
