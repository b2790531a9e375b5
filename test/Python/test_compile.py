"""compile(), its flags and errors, verify(), and where executables are found."""

import gc
import importlib.util
import os
import pickle
import re
import subprocess
import sys

import numpy
import pcc
import pytest
from conftest import MODEL, ROOT
from pcc import executables, flags


def test_summary(program):
    assert program.summary["mesh"] == {"tp": 1, "cp": 1, "dp": 2, "pp": 1}
    assert program.summary["parameters"] == 220544
    assert program.summary["stages"][0]["arena_bytes"] > 0
    assert "step:     4 samples of 16 tokens" in program.log
    assert repr(program) == (f"<pcc.Program '{program.path}': model, 220,544 "
                             "parameters, dp 2, f32>")


def test_open_program(program):
    again = pcc.Program(program.path)
    assert again.log == program.log
    with pytest.raises(pcc.Error, match="was not compiled by this object"):
        again.summary
    with pytest.raises(pcc.Error, match="there is no program 'absent'"):
        pcc.Program("absent")
    with pytest.raises(pcc.Error, match="' is not a program of pcc\nnote: "):
        pcc.Program(MODEL)
    with open("script", "w") as file:
        file.write("echo run\n")
    os.chmod("script", 0o755)
    with pytest.raises(pcc.Error, match="'script' is not a program of pcc"):
        pcc.Program("script")
    with pytest.raises(pcc.Error, match="'.' is a folder, not a program of pcc"):
        pcc.Program(".")
    with pytest.raises(pcc.Error, match="'/dev/null' is a pipe or a device"):
        pcc.Program("/dev/null")
    for function in (pcc.Program("/bin/true").train,
                     lambda: pcc.Program("/bin/true").log):
        with pytest.raises(pcc.Error, match="it has no flag --steps"):
            function()
    with open("program", "wb") as file:
        file.write(b"\x7fELF")
    with pytest.raises(pcc.Error, match="'program' may not be executed"):
        pcc.Program("program")


def test_forward(document):
    model, ids = document["model"], numpy.arange(16).reshape(1, 16)
    outputs = model.forward({"input_ids": ids}, outputs="kept")
    assert outputs["logits"].shape == (1, 16, 256)
    assert (numpy.load("kept/logits.npy") == outputs["logits"]).all()
    with pytest.raises(pcc.Error, match=r"is \[1, 15\], input 'input_ids' takes"):
        model.forward({"input_ids": ids[:, 1:]})
    with pytest.raises(pcc.Error, match="^this program computes the model's "
                       "outputs, and trains nothing\nnote: Program.forward"):
        list(model.train(data="."))


def test_document(document):
    assert document["number"] == 6
    shown = document["shown"]
    with open(os.path.join(ROOT, "docs", "Python.md")) as file:
        error = re.search(r"^    cannot split.*\n    .*\n", file.read(), re.M)[0]
    assert error.replace("    ", "") in shown
    assert "(1, 16, 256)\n" in shown and shown.startswith("1 5.")


def test_temporary_program():
    """It is removed with the object, and finds its model from any folder."""
    small = os.path.join(ROOT, "test/Inputs/bad/good.onnx")
    with pytest.warns(pcc.DiagnosticWarning, match="--schedule") as caught:
        model = pcc.compile(os.path.relpath(small), forward=True,
                            schedule="gpipe")
    assert len(caught) == 1 and caught[0].filename == __file__
    os.mkdir("elsewhere")
    os.chdir("elsewhere")
    ids = numpy.arange(8).reshape(2, 4)
    assert model.forward({"input_ids": ids})["logits"].shape == (2, 4, 16)
    folder = os.path.dirname(model.path)
    # A fork of Python that ends does not remove it.
    child = os.fork()
    if child == 0:
        del model
        gc.collect()
        os._exit(0)
    os.waitpid(child, 0)
    assert os.path.exists(model.path)
    del model
    gc.collect()
    assert not os.path.exists(folder)


def test_diagnostic():
    with pytest.raises(pcc.Error) as caught:
        pcc.compile(MODEL, "train", tensor_model_parallel_size=3)
    error = caught.value
    assert error.message == (
        "cannot split '/transformer/h.0/attn/c_attn/Gemm' 3 ways over mesh axis "
        '"tp": 4 heads are not a multiple of 3')
    assert error.notes[-1] == "valid values for --tp are 1, 2, 4"
    assert error.code == 1 and error.command[1] == MODEL
    done = subprocess.run(error.command, stderr=subprocess.PIPE, text=True)
    assert str(error) + "\n" == done.stderr
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.notes == error.notes
    assert not os.path.exists("train")
    with pytest.raises(pcc.Error, match="'absent.onnx'|absent.onnx: error"):
        pcc.compile("absent.onnx")
    with pytest.raises(pcc.Error, match="-x.onnx"):
        pcc.compile("-x.onnx", "train")


TABLE = flags._table("""
  --tp=<N>                   - Tensor parallel size
  --stage-cut=<NODE,NODE>    - Nodes
  --dim=<NAME=N>             - Extent
  --overlap=<WHEN>           - on, off
  --padding-mask             - is an input
  --no-padding-mask          - is all ones
  --no-dropout               - without
  -q                         - quiet
""", flags.OF_PCC)
PROGRAM = flags._table("""
  --data PATH          token files, separated by commas
  --shuffle            visit the samples
  --trace-steps A:B    the steps
  --initial-loss-scale N fp16: first loss scale
  --data-weights X,Y   blend the entries
""", flags.OF_PROGRAM)


@pytest.mark.parametrize("given, wanted", [
    ({"tp": 2}, ["--tp=2"]),
    ({"tp": None, "stage_cut": []}, []),
    ({"stage_cut": ["a", "b"]}, ["--stage-cut=a,b"]),
    ({"dim": {"seq": 3, "n": 4}}, ["--dim=seq=3", "--dim=n=4"]),
    ({"dim": ("a=1", "b=2")}, ["--dim=a=1", "--dim=b=2"]),
    ({"overlap": False}, ["--overlap=off"]),
    ({"overlap": True}, ["--overlap=on"]),
    ({"padding_mask": True}, ["--padding-mask"]),
    ({"padding_mask": False}, ["--no-padding-mask"]),
    ({"no_padding_mask": False}, []),
    ({"dropout": False, "no_dropout_": True}, ["--no-dropout", "--no-dropout"]),
    ({"dropout": True}, []),
    ({"overlap": numpy.bool_(True), "padding_mask": numpy.bool_(False)},
     ["--overlap=on", "--no-padding-mask"]),
])
def test_flags(given, wanted):
    assert flags.arguments(given, TABLE, "pcc --help", {}) == wanted


def test_flags_of_programs():
    given = {"data": [__file__, "b.bin"], "shuffle": True, "trace_steps": "1:2",
             "initial_loss_scale": 1024, "data_weights": (0.5, 2)}
    assert flags.arguments(given, PROGRAM, "train --help", {}) == [
        f"--data={__file__},b.bin", "--shuffle", "--trace-steps=1:2",
        "--initial-loss-scale=1024", "--data-weights=0.5,2"]


@pytest.mark.parametrize("given, message", [
    ({"tpp": 2}, "tpp=2: there is no flag --tpp\nnote: names like it are tp\n"
     "note: pcc --help lists all flags"),
    ({"padding_mask": 3}, "padding_mask=3: --padding-mask takes no value\nnote: "
     "padding_mask=True and padding_mask=False are accepted"),
    ({"q": True}, "q=True: refused"),
    ({"tp": True}, "tp=True: --tp takes another value than True or False\nnote: "
     "tp=None leaves the flag out"),
    ({"dim": {"seq": False}}, "dim=False: --dim takes another value than True or "
     "False\nnote: dim=None leaves the flag out"),
    ({"stage_cut": "a\0"}, "stage_cut='a\\x00': no flag takes a zero byte"),
])
def test_wrong_flags(given, message):
    with pytest.raises(pcc.Error) as caught:
        flags.arguments(given, TABLE, "pcc --help", {"q": "refused"})
    assert str(caught.value) == message and caught.value.code == 2


def test_bool_for_a_number(program):
    for flag in "steps", "lr", "timeout", "data", "trace_steps":
        with pytest.raises(pcc.Error, match=f"^{flag}=True: --"):
            program.train(**{flag: True})


def test_refused_flags():
    with pytest.raises(pcc.Error, match="no model is given"):
        pcc.compile("")
    with pytest.raises(pcc.Error, match="the argument output names the program"):
        pcc.compile(MODEL, o="train")
    with pytest.raises(pcc.Error, match="names like it are global_batch_size"):
        pcc.compile(MODEL, global_batch=3)


def fake(text, name="pcc"):
    with open(name, "w") as file:
        file.write("#!/bin/sh\n" + text)
    os.chmod(name, 0o755)
    return os.path.abspath(name)


def test_executables(monkeypatch, tmp_path):
    monkeypatch.delenv("PCC", raising=False)
    built = os.path.join(ROOT, "build/bin/pcc")
    if os.path.exists(built):
        assert executables.find() == built
    monkeypatch.setattr(executables, "BESIDE", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(pcc.Error, match="no executable 'pcc'") as caught:
        pcc.compile(MODEL)
    assert "pip install FILE" in caught.value.notes[0]
    os.mkdir("pcc")
    with pytest.raises(pcc.Error, match="no executable 'pcc'"):
        executables.find()
    os.rmdir("pcc")
    own = fake('echo "  --foo - bar"')
    assert executables.find() == own
    with pytest.raises(pcc.Error, match="is another program of the same name"):
        pcc.compile(MODEL)
    monkeypatch.setenv("PCC", "absent")
    with pytest.raises(pcc.Error, match=r"\$PCC is 'absent'"):
        pcc.compile(MODEL)
    monkeypatch.setenv("PCC", own)
    fake('case "$*" in *--help*) echo "  --tp=<N> - size" ;; '
         '*) kill -SEGV $$ ;; esac')
    with pytest.raises(pcc.Error, match=r"was killed by signal 11 \(SIGSEGV\)"):
        pcc.compile(MODEL)


REPORT = """{"ok": OK, "mesh": {"tp": 2}, "quantities": [
  {"name": "losses", "worst": {"of": "step 1", "difference": 0, "rounding": 0,
                               "bound": 2e-6, "ok": true}},
  {"name": "gradients", "worst": {"of": "wte", "difference": null, "rounding": 0,
                                  "bound": 1e-5, "ok": OK}}]TENSORS}"""
TENSORS = """, "tensors_of": "gradients", "tensors": [
  {"of": "wte", "difference": null, "rounding": 0, "bound": 1e-5, "ok": false}]"""


def test_verify(monkeypatch):
    equal = REPORT.replace("OK", "true").replace("TENSORS", "")
    other = REPORT.replace("OK", "false").replace("TENSORS", TENSORS)
    monkeypatch.setenv("PCC", fake(
        'case "$*" in "verify --help"*) echo "  --tp=<N> - size" ;;\n'
        f"*--tp=2*) echo '{equal}' ;;\n"
        f"*--tp=4*) echo '{other}'; echo 'pcc: error: differ' >&2; exit 1 ;;\n"
        "*--tp=16*) echo text ;;\n"
        '*) echo "pcc: error: too large" >&2; exit 1 ;; esac'))
    right, wrong = (pcc.verify("m.onnx", tp=tp) for tp in (2, 4))
    assert right and not wrong and not right.worst
    loss, gradient = wrong.quantities
    assert loss.ok and loss == right.quantities[0] and not gradient.ok
    assert wrong.worst == (pcc.Difference("wte", None, 0, 1e-5, False),)
    assert wrong.report["mesh"] == {"tp": 2}
    assert "DIFFER gradients: not finite (wte; rounding 0, bound 1e-05)" in str(wrong)
    with pytest.raises(pcc.Error, match="too large"):
        pcc.verify("m.onnx", tp=8)
    with pytest.raises(pcc.Error, match="printed no JSON object"):
        pcc.verify("m.onnx", tp=16)
    with pytest.raises(pcc.Error, match="there is no flag --pp"):
        pcc.verify("m.onnx", pp=2)


def test_import_next_to_other_things_named_pcc():
    """In tools/ there is a folder pcc, next to pcc an executable."""
    for folder in os.path.join(ROOT, "tools"), os.path.dirname(executables.find()):
        done = subprocess.run(
            [sys.executable, "-c", "import pcc; pcc.compile"],
            cwd=folder, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0, done.stderr


def test_export_without_pytorch():
    if importlib.util.find_spec("torch"):
        pytest.skip("PyTorch is installed")
    with pytest.raises(pcc.Error, match="cannot import its packages") as caught:
        pcc.export(None, (), "model.onnx")
    assert "benchmarks/setup" in caught.value.notes[0]


def test_export():
    torch = pytest.importorskip("torch")
    module = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Tanh())
    model = pcc.export(module, {"input": torch.randn(2, 4)}, "model.onnx")
    program = pcc.compile(model, loss="mse")
    assert program.summary["parameters"] == 15

    class Item(torch.nn.Module):
        def forward(self, input):
            return input * input.sum().item()
    with pytest.raises(pcc.Error, match=r"item\(\) turns a value"):
        pcc.export(Item(), {"input": torch.randn(2, 4, requires_grad=True)},
                   "item.onnx")
    assert not os.path.exists("item.onnx")
