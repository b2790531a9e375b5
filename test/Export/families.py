"""Tiny models of transformers, exported as tools/pcc-export does by task."""

import dataclasses

import torch
import transformers as hf

import pcc_export
from pcc_export.huggingface import TASKS, prepare

VOCAB, WIDTH, SEQ = 67, 32, 16
COMMON = dict(vocab_size=VOCAB, hidden_size=WIDTH, num_hidden_layers=2,
              num_attention_heads=4, intermediate_size=64,
              max_position_embeddings=48)
IDS = dict(bos_token_id=0, eos_token_id=1, pad_token_id=2)


@dataclasses.dataclass
class Family:
    """context: the metadata's context length. padded: name -> row. said: a text
    in the export's output, such as the name of the exporter."""

    build: object
    task: str
    context: str = None
    padded: dict = dataclasses.field(default_factory=dict)
    said: str = "TorchScript"
    flags: tuple = (f"--seq={SEQ}",)

    @property
    def loss(self):
        return TASKS[self.task].loss


def causal(kind, **options):
    config = getattr(hf, kind + "Config")(**dict(COMMON, **IDS, **options))
    return lambda: hf.AutoModelForCausalLM.from_config(config)


def bart():
    return hf.BartForConditionalGeneration(hf.BartConfig(
        vocab_size=VOCAB, d_model=WIDTH, encoder_layers=2, decoder_layers=2,
        encoder_attention_heads=4, decoder_attention_heads=4,
        encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=40,
        decoder_start_token_id=1, forced_eos_token_id=1, **IDS))


def t5():
    return hf.T5ForConditionalGeneration(hf.T5Config(
        vocab_size=VOCAB, d_model=16, d_kv=8, d_ff=64, num_layers=2,
        num_heads=4, relative_attention_num_buckets=8,
        relative_attention_max_distance=16, decoder_start_token_id=0,
        pad_token_id=0, eos_token_id=1))


CASES = {
    "gpt2": Family(lambda: hf.GPT2LMHeadModel(hf.GPT2Config(
        vocab_size=VOCAB, n_embd=WIDTH, n_layer=2, n_head=4, n_positions=40,
        bos_token_id=0, eos_token_id=0)), "causal-lm", "40"),
    "opt": Family(causal("OPT", ffn_dim=64, word_embed_proj_dim=WIDTH),
                  "causal-lm", "48",
                  {"model.decoder.embed_tokens.weight": 2}),
    # Two key and value heads for four query heads.
    "llama": Family(causal("Llama", num_key_value_heads=2), "causal-lm", "48",
                    {"model.embed_tokens.weight": 2}),
    "bert": Family(lambda: hf.BertForMaskedLM(hf.BertConfig(**COMMON)),
                   "masked-lm", "48",
                   {"bert.embeddings.word_embeddings.weight": 0}),
    "roberta": Family(lambda: hf.RobertaForTokenClassification(
        hf.RobertaConfig(**dict(COMMON, **IDS), num_labels=5)),
        "token-classification", "45",
        {"roberta.embeddings.word_embeddings.weight": 2,
         "roberta.embeddings.position_embeddings.weight": 2}),
    "distilbert": Family(lambda: hf.DistilBertForSequenceClassification(
        hf.DistilBertConfig(vocab_size=VOCAB, dim=WIDTH, n_layers=2, n_heads=4,
                            hidden_dim=64, max_position_embeddings=48,
                            num_labels=3)), "sequence-classification", "48",
        {"distilbert.embeddings.word_embeddings.weight": 0}),
    "t5": Family(t5, "seq2seq-lm"),
    "bart": Family(bart, "seq2seq-lm", "40",
                   {"model.shared.weight": 2}),
    "vit": Family(lambda: hf.ViTForImageClassification(hf.ViTConfig(
        hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=64, image_size=16, patch_size=4, num_labels=10)),
        "image-classification", flags=()),
}


def samples(model, example, task, count):
    """Inputs as the exporter's example has them, and labels."""
    generator = torch.Generator().manual_seed(3)
    inputs = {}
    for name, value in example.items():
        shape = (count, *value.shape[1:])
        if value.is_floating_point():
            inputs[name] = torch.randn(shape, generator=generator)
        elif name.endswith("mask"):
            lengths = torch.randint(SEQ // 2, SEQ + 1, (count, 1),
                                    generator=generator)
            inputs[name] = (torch.arange(SEQ) < lengths).long()
        else:
            inputs[name] = torch.randint(VOCAB, shape, generator=generator)
    classes = getattr(model.config, "num_labels", 2)
    if task.endswith("lm"):
        labels = torch.randint(VOCAB, (count, SEQ), generator=generator)
    elif task == "token-classification":
        labels = torch.randint(classes, (count, SEQ), generator=generator)
    else:
        labels = torch.randint(classes, (count,), generator=generator)
    return inputs, labels


def export(name, path, pcc, count, exporter=None):
    case = CASES[name]
    torch.manual_seed(0)
    model = case.build()
    with torch.no_grad():
        for key, p in model.named_parameters():
            if key.endswith("bias"):
                p.normal_(std=0.02)
    example, call = prepare(model, case.task)
    said = []
    pcc_export.export(model, example, path, call=call, output="logits",
                      loss=case.loss, pcc=pcc, exporter=exporter,
                      log=said.append)
    inputs, labels = samples(model, example, case.task, count)
    return model, call, inputs, labels, said


def check(case, metadata, said, exporter=None):
    assert metadata.get("context_length") == case.context, metadata.get(
        "context_length")
    padded = {p["name"]: p["padding_row"] for p in metadata["parameters"]
              if "padding_row" in p}
    assert padded == case.padded, padded
    used = "exporter: " + (exporter or case.said)
    assert any(line.startswith(used) for line in said), said
