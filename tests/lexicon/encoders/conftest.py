"""Small real encoders, trained on the spot on sentences that a child could finish."""

import random

import pytest

from transforms.lexicon.encoders.base import load_encoder

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


def _train(folder, kind):
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


@pytest.fixture(scope="session")
def bert(made_once):
    """The folder of a masked language model with WordPiece, two layers, 32 dimensions."""
    return made_once("encoder-bert", lambda folder: _train(folder, "bert"))


@pytest.fixture(scope="session")
def roberta(made_once):
    """The folder of one with BPE of bytes, which gives spaces to the words after them."""
    return made_once("encoder-roberta", lambda folder: _train(folder, "roberta"))


@pytest.fixture(params=["bert", "roberta"])
def encoder(request):
    """Either, loaded on the CPU."""
    return load_encoder(request.getfixturevalue(request.param), device="cpu")


class Bare:
    """Transformers without us: one text at a time, no padding."""

    def __init__(self, folder):
        import torch
        import transformers

        self.torch = torch
        self.folder = folder
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self.model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()

    def run(self, text, first=None):
        """Return the ids, the offsets of the text's pieces, the states by layer and the logits."""
        texts = (text,) if first is None else (first, text)
        found = self.tokenizer(*texts, return_offsets_mapping=True, return_tensors="pt")
        offsets = found.pop("offset_mapping")[0].tolist()
        if first is not None and self.model.config.type_vocab_size > 1:
            found["token_type_ids"] = self.types(first, text)
        with self.torch.no_grad():
            made = self.model(**found, output_hidden_states=True)
        return found["input_ids"][0], offsets, made.hidden_states, made.logits[0]

    def types(self, first, text):
        """Return zeros for the first segment with its special pieces, ones for the second."""
        one = len(self.tokenizer(first)["input_ids"])
        both = len(self.tokenizer(first, text)["input_ids"])
        return self.torch.tensor([[0] * one + [1] * (both - one)])


@pytest.fixture
def bare(encoder, request):
    """Transformers alone with the model of `encoder`."""
    return Bare(request.getfixturevalue(request.node.callspec.params["encoder"]))
