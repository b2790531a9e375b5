"""pcc DIR: exports a directory of transformers by a Python, which is a fake one
here (Inputs/fake-python), and reuses the export while nothing has changed.

RUN: rm -rf %t && mkdir %t && cd %t && %python %s %root
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

ROOT = sys.argv[1]
FAKE = os.path.join(ROOT, "test/Driver/Inputs/fake-python")
FIXTURE = os.path.join(ROOT, "test/Frontend/Inputs/exported/frozen.onnx")
CONFIG = {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3"}
COMPILE = ["--seq=4", "--emit=import"]


def environment(**variables):
    result = dict(os.environ, FIXTURE=FIXTURE, CALLS=os.path.abspath("calls"))
    for name in ("VIRTUAL_ENV", "LACKS", "TORCH", "EXPORT"):
        result.pop(name, None)
    result.update(variables)
    return result


def pcc(*arguments, code=0, python=FAKE, **variables):
    """Runs pcc; returns its output and errors."""
    given = [f"--python={python}"] if python else []
    done = subprocess.run(["pcc", *arguments, *given], text=True, timeout=100,
                          errors="surrogateescape", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          env=environment(**variables))
    assert done.returncode == code, (arguments, done.returncode, done.stdout)
    return done.stdout


def expect(said, *texts):
    for text in texts:
        assert text in said, f"no {text!r} in:\n{said}"


def calls():
    """The arguments of pcc-export's runs since the last call."""
    if not os.path.exists("calls"):
        return []
    with open("calls", encoding="utf-8") as file:
        result = [json.loads(line) for line in file]
    os.remove("calls")
    return result


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def model(folder, weights=("model.safetensors",), **config):
    """Writes a directory whose weights are never read."""
    shutil.rmtree(folder, ignore_errors=True)
    write(f"{folder}/config.json", json.dumps(dict(CONFIG, **config)))
    for name in weights:
        write(f"{folder}/{name}", "weights")
    return folder


def unfinished():
    return [name for name in os.listdir(".") if ".tmp" in name]


def test_export():
    model("tiny")
    companions = ["tokenizer.json", "tokenizer_config.json", "merges.txt",
                  "generation_config.json", "chat_template.jinja",
                  "additional_chat_templates/tool.jinja"]
    for name in companions:
        write("tiny/" + name, name)
    write("tiny/README.md", "no companion")
    said = pcc("tiny/", *COMPILE, "-o", "plan.mlir")
    expect(said, "export:   tiny as causal-lm, by torch 2.9 and transformers "
           "5.1 of " + FAKE, "          context: 48 tokens\n",
           "\npcc-export: warning: weights are random\n",
           "exported: plan.model, 3.1 KiB, in 0 s\n", "wrote:    plan.mlir")
    assert "wrote: " + os.getcwd() not in said, said
    # pcc-export got the directory, and the compiler for its comparison.
    (command,) = calls()
    assert command[0].endswith("pcc-export"), command
    flags = dict(zip(command[1::2], command[2::2]))
    assert flags.keys() == {"--hf", "--task", "-o", "--pcc"}, flags
    assert flags["--hf"] == os.path.abspath("tiny")
    assert flags["--task"] == "causal-lm"
    assert os.path.samefile(flags["--pcc"], shutil.which("pcc"))
    # The folder has copies of the companions, and the record.
    found = sorted(os.path.relpath(os.path.join(folder, name), "plan.model")
                   for folder, _, names in os.walk("plan.model")
                   for name in names)
    assert found == sorted([*companions, "config.json", "export.json",
                            "model.onnx"]), found
    with open("plan.model/export.json", encoding="utf-8") as file:
        record = json.load(file)
    assert record["source"]["folder"] == os.path.abspath("tiny")
    sizes = {f["name"]: f["size"] for f in record["source"]["files"]}
    assert sizes["model.safetensors"] == 7 and "README.md" not in sizes
    assert record["options"]["task"] == "causal-lm"
    assert record["versions"]["torch"] == "2.9"
    assert {"pcc", "pcc-export", "transformers"} <= record["versions"].keys()
    assert not unfinished()


def test_reuse():
    reused = "reused:   plan.model, 3.1 KiB, the export of tiny"
    compiled = ["tiny", *COMPILE, "-o", "plan.mlir"]

    def again(why, *arguments, **variables):
        said = pcc(*compiled, *arguments, **variables)
        expect(said, "plan.model is exported again: " + why, "exported: ")
        assert len(calls()) == 1
        assert "reused" not in said
        # The new record holds.
        expect(pcc(*compiled, *arguments, **variables), reused)

    expect(pcc(*compiled), reused)
    write("tiny/README.md", "changed")
    expect(pcc(*compiled), reused)
    assert pcc(*compiled, "-q") == ""
    assert not calls()
    again(os.path.abspath("tiny/tokenizer.json") + " has changed"
          if write("tiny/tokenizer.json", "longer than before") is None else "")
    os.utime("tiny/model.safetensors", ns=(1, 1))
    again(os.path.abspath("tiny/model.safetensors") + " has changed")
    write("tiny/vocab.json", "{}")
    again(os.path.abspath("tiny/vocab.json") + " is new")
    assert os.path.exists("plan.model/vocab.json")
    os.remove("tiny/vocab.json")
    again(os.path.abspath("tiny/vocab.json") + " is gone")
    assert not os.path.exists("plan.model/vocab.json")
    again("torch was 2.9, and is 3.0", TORCH="3.0")
    again("task was causal-lm, and is masked-lm", "--task=masked-lm",
          TORCH="3.0")
    again("torch was 3.0, and is 2.9", "--task=masked-lm")
    again("task was masked-lm, and is causal-lm")
    write("plan.model/model.onnx", "edited")
    again("plan.model/model.onnx has changed")
    # Another directory of the same name.
    shutil.copytree("tiny", "other/tiny")
    said = pcc("other/tiny", *COMPILE, "-o", "plan.mlir")
    expect(said, "it is the export of " + os.path.abspath("tiny"))
    pcc(*compiled)
    calls()
    # A link stays one.
    os.rename("plan.model", "elsewhere")
    os.symlink("elsewhere", "plan.model")
    write("tiny/merges.txt", "changed")
    expect(pcc(*compiled), "exported: plan.model")
    assert os.path.islink("plan.model") and not os.path.islink("elsewhere")
    with open("plan.model/merges.txt", encoding="utf-8") as file:
        assert file.read() == "changed"
    os.remove("plan.model")
    os.rename("elsewhere", "plan.model")
    calls()
    # Without a Python, versions are not compared.
    expect(pcc(*compiled, python=None, PATH=own_path()),
           reused + "; no Python is here to compare its versions")
    assert not unfinished()


def own_path():
    """A PATH with pcc alone."""
    os.makedirs("only", exist_ok=True)
    if not os.path.exists("only/pcc"):
        os.symlink(os.path.realpath(shutil.which("pcc")), "only/pcc")
    return os.path.abspath("only")


def test_places():
    # Text on standard output, --check, --list-params: in the current folder.
    said = pcc("tiny", *COMPILE, "-o", "-")
    expect(said, "exported: tiny.model", 'pcc.model = "tiny"')
    expect(pcc("tiny", "--seq=4", "--check"), "reused:   tiny.model",
           "the model compiles")
    expect(pcc("tiny", "--seq=4", "--list-params"), "reused:   tiny.model")
    expect(pcc("tiny", *COMPILE, "-o", "/dev/null"), "reused:   tiny.model")
    os.makedirs("below/folder", exist_ok=True)
    os.chdir("below")
    said = pcc("../tiny", *COMPILE, "-o", "folder/p.mlir")
    expect(said, "exported: folder/p.model")
    os.chdir("..")
    # The last folder of the path is the name; in the hub's cache the model's.
    os.chdir("tiny")
    expect(pcc(".", *COMPILE, "-o", "../dot.mlir"), "exported: ../dot.model")
    os.chdir("..")
    with open("dot.mlir", encoding="utf-8") as file:
        expect(file.read(), 'pcc.model = "tiny"')
    model("hub/models--Qwen--Qwen3-0.6B/snapshots/12ab")
    said = pcc("hub/models--Qwen--Qwen3-0.6B/snapshots/12ab", *COMPILE)
    expect(said, "exported: Qwen3-0.6B.model")
    expect(pcc("hub/models--Qwen--Qwen3-0.6B", code=1), "has no config.json",
           "give hub/models--Qwen--Qwen3-0.6B/snapshots/12ab")
    # Names of any bytes.
    for name in ("two words", "it's \"so\"", "back\\slash", "gr\xfc\xdfe",
                 "x\udcff"):
        model(name)
        expect(pcc(name, *COMPILE, "-o", "-"), f"exported: {name}.model")
        assert calls()[-1][2] == os.path.abspath(name)
        expect(pcc(name, *COMPILE, "-o", "-"), f"reused:   {name}.model")
    # A program's default name, next to a folder with the model's.
    said = pcc("tiny", "--seq=4", "--emit=obj")
    expect(said, "exported: train.model", "wrote:    train.o")
    # What is not pcc's stays.
    write("mine.model/notes", "mine")
    said = pcc("tiny", *COMPILE, "-o", "mine.mlir", code=1)
    expect(said, "'mine.model', where the export of tiny goes, exists, and is "
           "no export of pcc", "name another output with -o")
    with open("mine.model/notes", encoding="utf-8") as file:
        assert file.read() == "mine"
    expect(pcc("tiny.model", code=1), "tiny.model: note: to compile the ONNX "
           "file in it, give tiny.model/model.onnx")
    expect(pcc("tiny", "-o", "below", code=1), "it is a folder")
    expect(pcc("tiny", "-o", "tiny/model.safetensors", code=1),
           "it contains weights of the model")
    expect(pcc("tiny", "--gpu-arch=sm_80", "-o", "none", code=2), "--gpu-arch")
    expect(pcc("tiny", "-o", "absent/train", code=1), "cannot write "
           "'absent/train': No such file or directory")
    calls()


def test_failures():
    compiled = ["tiny", *COMPILE, "-o", "fails.mlir"]

    def fails(how, *texts):
        said = pcc(*compiled, code=1, EXPORT=how)
        expect(said, *texts)
        assert not os.path.exists("fails.model") and not unfinished()
        assert not os.path.exists("fails.mlir")

    fails("refuse", "\npcc-export: error: the module has a hook\n"
          "pcc-export: note: remove it\n")
    fails("raise", "          KeyError: 'lost'\n", "pcc-export ended with exit "
          "code 1", "the same by hand: " + FAKE)
    fails("die", "pcc-export was ended by signal 9", "memory is exhausted")
    fails("nothing", "pcc-export ended without an error, but wrote no "
          "model.onnx")
    said = pcc(*compiled, "-q", code=1, EXPORT="raise")
    expect(said, "KeyError", "exit code 1")
    # An export that stood there before stays whole.
    write("tiny/tokenizer.json", "changed once more")
    pcc("tiny", *COMPILE, "-o", "plan.mlir", code=1, EXPORT="refuse")
    with open("plan.model/model.onnx", "rb") as file:
        whole = file.read()
    with open(FIXTURE, "rb") as file:
        assert file.read() == whole
    calls()


def test_interrupted():
    # A test that runs in the background may have it ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        running = subprocess.Popen(
            ["pcc", "tiny", *COMPILE, "-o", "stopped.mlir", "--python", FAKE],
            stderr=subprocess.PIPE, env=environment(EXPORT="wait"))
        while not os.path.exists("calls.waits"):
            time.sleep(0.01)
        os.remove("calls.waits")
        running.send_signal(number)
        running.stderr.read()  # To its end: the fake Python has ended, too.
        assert running.wait() == -number, running.returncode
        assert not os.path.exists("stopped.model")
        assert bool(unfinished()) == (number == signal.SIGKILL), unfinished()
    # The next export removes what the killed one left.
    pcc("tiny", *COMPILE, "-o", "stopped.mlir")
    assert not unfinished()
    calls()


def test_pythons():
    said = pcc("tiny", "-o", "none", python=None, PATH=own_path(), code=1)
    expect(said, "pcc: error: there is no Python with PyTorch and transformers,"
           " to export tiny\n", "$VIRTUAL_ENV is not set; there is no python3 "
           "on PATH", "pip install torch transformers")
    os.makedirs("venv/bin", exist_ok=True)
    os.makedirs("path", exist_ok=True)
    for folder in ("venv/bin", "path"):
        if not os.path.exists(folder + "/python3"):
            os.symlink(FAKE, folder + "/python3")
    places = dict(VIRTUAL_ENV=os.path.abspath("venv"), PATH=os.pathsep.join(
        [own_path(), os.path.abspath("path")]))
    compiled = ["tiny", *COMPILE, "-o", "pythons.mlir"]
    expect(pcc(*compiled, python=None, **places), "transformers 5.1 of " +
           os.path.abspath("venv/bin/python3"))
    shutil.rmtree("pythons.model")
    del places["VIRTUAL_ENV"]
    expect(pcc(*compiled, python=None, **places), "transformers 5.1 of " +
           os.path.abspath("path/python3"))
    said = pcc("tiny", "-o", "none", python=None, code=1, LACKS="torch",
               **places)
    expect(said, os.path.abspath("path/python3") + " has no torch\n")
    expect(pcc("tiny", "-o", "none", code=1, LACKS="onnxscript"),
           FAKE + " has PyTorch and transformers, but no onnxscript",
           FAKE + " -m pip install onnxscript")
    expect(pcc("tiny", "-o", "none", code=1, python="/nowhere/python"),
           "pcc: error: cannot export tiny: --python /nowhere/python cannot be "
           "started: No such file or directory\n", "pcc: note: name the Python "
           "of an environment with PyTorch and transformers")
    expect(pcc("tiny", "-o", "none", code=1, python="/bin/true"),
           "--python /bin/true is no Python 3 that works")
    calls()


def test_tasks():
    for architecture, task, flags in (
            ("GPT2LMHeadModel", "causal-lm", {}),
            ("BertForMaskedLM", "masked-lm", {}),
            ("T5ForConditionalGeneration", "seq2seq-lm",
             {"is_encoder_decoder": True}),
            ("LlavaForConditionalGeneration", None, {}),
            ("RobertaForTokenClassification", "token-classification", {}),
            ("ViTForImageClassification", "image-classification", {}),
            ("BertForSequenceClassification", "sequence-classification", {}),
            ("BertModel", None, {}), (None, None, {})):
        model("task", architectures=[architecture] if architecture else None,
              **flags)
        said = pcc("task", *COMPILE, "-o", "task.mlir", code=0 if task else 1)
        if task:
            expect(said, f"task as {task}, by")
        else:
            expect(said, architecture or "no 'architectures'",
                   "add --task with one of causal-lm, masked-lm")
    expect(pcc("task", *COMPILE, "--task=causal-lm", "-o", "task.mlir"),
           "task as causal-lm")
    model("task", auto_map={"AutoConfig": "code.Config"})
    said = pcc("task", *COMPILE, "--trust-remote-code", "-o", "task.mlir")
    assert "--trust-remote-code" in calls()[-1] and "warning: --" not in said
    said = pcc("tiny", *COMPILE, "--trust-remote-code", "-o", "task.mlir")
    expect(said, "--trust-remote-code changes nothing: config.json names no "
           "code")
    # The loss of another task follows from it.
    model("task", architectures=["BertForMaskedLM"])
    said = pcc("task", "--seq=4", "--emit=train", "-o", "task.mlir")
    expect(said, "cross-entropy")
    # Weights are not needed for random ones.
    model("task", weights=())
    pcc("task", *COMPILE, "--init=random", "-o", "task.mlir")
    assert "--random-weights" in calls()[-1]


def test_refused_directories():
    def refused(*texts, **variables):
        said = pcc("bad", "-o", "none", code=1, **variables)
        expect(said, "bad", "error: ", "note: ", *texts)
        assert said.count("error:") == 1 and not calls(), said

    model("bad", weights=())
    refused("has no weights", "add --init random")
    for name in ("pytorch_model.bin", "tf_model.h5"):
        model("bad", weights=(name,))
        refused("its weights are not in safetensors", "writes safetensors")
    model("bad", weights=("bad.gguf",))
    refused("GGUF")
    model("bad", quantization_config={"quant_method": "gptq"})
    refused("quantized (gptq)", "before quantization")
    model("bad", text_config={"quantization_config": {}})
    refused("quantized, by config.json's quantization_config")
    model("bad")
    write("bad/adapter_config.json", "{}")
    refused("is an adapter of PEFT", "merge_and_unload()")
    model("bad", weights=("model-00001-of-00002.safetensors",))
    write("bad/model.safetensors.index.json", json.dumps({"weight_map": {
        "a": "model-00001-of-00002.safetensors",
        "b": "model-00002-of-00002.safetensors"}}))
    refused("there is no model-00002-of-00002.safetensors", "download")
    write("bad/model.safetensors.index.json", "{")
    refused("is not JSON")
    model("bad")
    write("bad/model.safetensors", "version https://git-lfs.github.com/spec/v1")
    refused("pointer of git-lfs", "git lfs pull")
    for text, what in (("{", "is not JSON"), ("[]", "is not a JSON object"),
                       ("", "is not JSON")):
        model("bad")
        write("bad/config.json", text)
        refused(what)
    os.remove("bad/config.json")
    refused("has no config.json", "save_pretrained(DIR) writes one")
    write("bad/model.onnx", "")
    refused("give bad/model.onnx")
    for name, way in (("params.json", "authors' own format"),
                      ("model_index.json", "diffusers")):
        shutil.rmtree("bad")
        write("bad/" + name, "{}")
        refused("has no config.json", way)
    shutil.rmtree("bad")
    os.makedirs("bad")
    refused("has no config.json")
    # Names of folders for files.
    model("bad")
    os.makedirs("bad/tokenizer.json")
    pcc("bad", *COMPILE, "-o", "bad.mlir")
    model("bad", weights=())
    os.makedirs("bad/model.safetensors")
    calls()
    refused("has no weights")


def test_refused_files():
    def refused(path, *texts):
        expect(pcc(path, "-o", "none", python=None, code=1), path + ": error: ",
               path + ": note: ", *texts)

    refused("Qwen/Qwen3-0.6B", "no such file or directory", "hf download "
            "Qwen/Qwen3-0.6B --local-dir Qwen3-0.6B, then pcc Qwen3-0.6B")
    refused("gpt2", "hf download gpt2")
    refused("tiny/config.json", "give the directory")
    refused("tiny/model.safetensors", "give the directory")
    for name in ("q.gguf", "q.bin", "q.pt"):
        write(name, "")
        refused(name, "without the model's graph")
    expect(pcc("missing.onnx", python=None, code=1), "missing.onnx: error")
    for flag in ("--python=p", "--task=causal-lm", "--trust-remote-code"):
        said = pcc(FIXTURE, flag, python=None, code=2)
        expect(said, flag.split("=")[0] + ": the model is no directory")
    expect(pcc("tiny", "--task=chat", code=2), "--task takes causal-lm, ")


os.environ.pop("HF_HUB_OFFLINE", None)
for name, test in list(globals().items()):
    if name.startswith("test_"):
        begin = time.monotonic()
        test()
        print(f"{name}: {time.monotonic() - begin:.1f} s")
