"""Turns text or conversations into the data files of compiled programs.

It needs no package for bytes, `tokenizers` for a model's own tokenizer and
`jinja2` for chat templates; neither PyTorch nor transformers.

One process reads and writes; the others tokenize. Work is divided by the
contents of the files alone, and results are written in their order, so that
the bytes do not depend on the number of processes.

    cli.py            the command line of tools/pcc-data
    messages.py       errors and numbers in messages
    reading.py        text and JSON of users, with errors that name the place
    inputs.py         input files: search, kinds, formats that are refused
    pieces.py         documents of the inputs, long ones in pieces
    held_out.py       the rule for the held-out part
    encoders.py       tokens of bytes, or of a model's tokenizer
    special_tokens.py tokens that a model's files name
    pool.py           processes; results in the order of the work
    progress.py       the progress bar
    outputs.py        files and folders that replace others when complete
    token_files.py    Megatron, llm.c and nanoGPT files
    arrays.py         .npy files of samples
    corpus.py         text to token files
    template.py       chat templates
    conversations.py  conversations in JSON lines
    replies.py        which text of a rendered conversation is the assistant's
    samples.py        rendered conversations to inputs and labels
    chat.py           conversations to folders of arrays
"""
