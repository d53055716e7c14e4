"""Small real encoders, trained on the spot on sentences that a child could finish."""

import random

__all__ = ["LENGTH", "sentences", "trained"]

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


def _word_piece(texts):
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from tokenizers.trainers import WordPieceTrainer

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.train_from_iterator(
        texts, WordPieceTrainer(vocab_size=110, special_tokens=special, show_progress=False)
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    names = ("pad", "unk", "cls", "sep", "mask")
    return tokenizer, {f"{name}_token": text for name, text in zip(names, special, strict=True)}


def _byte_level(texts):
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, processors
    from tokenizers.trainers import BpeTrainer

    special = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = BpeTrainer(
        vocab_size=330,
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


def trained(folder, kind):
    """Train a masked language model of a kind, `bert` or `roberta`; return its folder."""
    import torch
    import transformers

    texts = sentences(300)
    tokenizer, special = (_word_piece if kind == "bert" else _byte_level)(texts)
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=LENGTH, **special
    )
    shape = {
        "vocab_size": len(fast), "hidden_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 2, "intermediate_size": 64, "pad_token_id": fast.pad_token_id,
        "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
    }  # fmt: skip
    torch.set_num_threads(1)
    torch.manual_seed(0)
    if kind == "bert":
        config = transformers.BertConfig(max_position_embeddings=LENGTH, **shape)
        model = transformers.BertForMaskedLM(config)
    else:
        config = transformers.RobertaConfig(
            max_position_embeddings=LENGTH + 2, type_vocab_size=1, **shape
        )
        model = transformers.RobertaForMaskedLM(config)
    # What one reads of words in text: a few passes over it.
    whole = fast(texts, padding=True, return_tensors="pt", return_special_tokens_mask=True)
    words = ~whole["special_tokens_mask"].bool()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(100):
        some = torch.randint(len(texts), (32,))
        chosen = words[some] & (torch.rand(words[some].shape) < 0.2)
        ids = whole["input_ids"][some]
        loss = model(
            input_ids=ids.masked_fill(chosen, fast.mask_token_id),
            attention_mask=whole["attention_mask"][some],
            labels=ids.masked_fill(~chosen, -100),
        ).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval().save_pretrained(folder)
    fast.save_pretrained(folder)
    return str(folder)
