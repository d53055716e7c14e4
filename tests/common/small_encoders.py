"""Small real encoders, trained on the spot on sentences that a child could finish."""

import random

ANIMALS = ("cat", "dog", "bird", "horse")
PLACES = ("house", "garden", "park", "kitchen")
DEEDS = ("sat", "slept", "waited")
FEELINGS = ("tired", "hungry", "happy")
LENGTH = 40  # pieces


def sentences(count, seed=0):
    """Return sentences in which number and gender of things can be told from the rest."""
    draw = random.Random(seed)
    found = []
    for _ in range(count):
        animal, other = draw.sample(ANIMALS, 2)
        place, deed, feeling = draw.choice(PLACES), draw.choice(DEEDS), draw.choice(FEELINGS)
        found.append(
            draw.choice(
                (
                    f"The {animal} was {feeling}.",
                    f"Two {animal}s were {feeling}.",
                    f"The {animal} {deed} in the {place}.",
                    f"Many {animal}s {deed} in the {place}, and a {other} was {feeling}.",
                    f"Every {animal} was in the {place}; the {other}s were {feeling}.",
                )
            )
        )
    return found


def spanish(count, seed=0):
    """Return Spanish sentences; one in three gardens and benches lacks its accent."""
    draw = random.Random(seed)
    found = []
    for _ in range(count):
        who = draw.choice(("niño", "gato", "perro", "padre"))
        where = draw.choice(("jardín", "jardín", "jardin", "sillón", "sillon", "parque", "patio"))
        how = draw.choice(("contento", "cansado", "alegre", "feliz"))
        found.append(
            draw.choice(
                (
                    f"El {who} estaba {how}.",
                    f"El {who} duerme en el {where}.",
                    f"{how.capitalize()} estaba el {who} en el {where}.",
                    f"Un {who} {how} duerme en el {where} este año.",
                )
            )
        )
    return found


def _word_piece(texts, cased, more):
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from tokenizers.trainers import WordPieceTrainer

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=not cased)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(
        texts, WordPieceTrainer(vocab_size=110 + more, special_tokens=special, show_progress=False)
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = ("pad", "unk", "cls", "sep", "mask")
    return tokenizer, {f"{name}_token": text for name, text in zip(names, special, strict=True)}


def _byte_level(texts, cased, more):
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors
    from tokenizers.trainers import BpeTrainer

    special = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = BpeTrainer(
        vocab_size=330 + more,
        special_tokens=special,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    mask = AddedToken("<mask>", lstrip=True)
    tokenizer.add_special_tokens([mask])
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), trim_offsets=True, add_prefix_space=False
    )
    names = ("cls", "pad", "sep", "unk")
    tokens = {f"{name}_token": text for name, text in zip(names, special, strict=True)}
    return tokenizer, {**tokens, "bos_token": "<s>", "eos_token": "</s>", "mask_token": mask}


def trained(folder, kind, texts=None, *, cased=False, more=0, pairs=False, steps=100, seed=0):
    """Train a masked language model of a kind, `bert` or `roberta`; return its folder.

    BPE of bytes is always cased. With more pieces than few all words are whole; with pairs another
    text stands before each, as a segment of its own.
    """
    import torch
    import transformers

    texts = texts or sentences(300)
    tokenizer, special = (_word_piece if kind == "bert" else _byte_level)(texts, cased, more)
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=LENGTH, **special)
    shape = {
        "vocab_size": len(fast),
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "pad_token_id": fast.pad_token_id,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
    }
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    if kind == "bert":
        config = transformers.BertConfig(max_position_embeddings=LENGTH, **shape)
        model = transformers.BertForMaskedLM(config)
    else:
        config = transformers.RobertaConfig(max_position_embeddings=LENGTH + 2, type_vocab_size=1, **shape)
        model = transformers.RobertaForMaskedLM(config)
    # What one reads of words in text: a few passes over it.
    given = (texts[1:] + texts[:1], texts) if pairs else (texts,)
    typed = pairs and kind == "bert"
    whole = fast(
        *given, padding=True, return_tensors="pt", return_special_tokens_mask=True, return_token_type_ids=typed
    )
    words = ~whole["special_tokens_mask"].bool()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(steps):
        some = torch.randint(len(texts), (32,))
        chosen = words[some] & (torch.rand(words[some].shape) < 0.2)
        ids = whole["input_ids"][some]
        loss = model(
            input_ids=ids.masked_fill(chosen, fast.mask_token_id),
            attention_mask=whole["attention_mask"][some],
            **({"token_type_ids": whole["token_type_ids"][some]} if typed else {}),
            labels=ids.masked_fill(~chosen, -100),
        ).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval().save_pretrained(folder)
    fast.save_pretrained(folder)
    return str(folder)
