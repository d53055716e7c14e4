"""A small multiple-choice model with drawn weights."""

from collections.abc import Iterable
from pathlib import Path


def keep_choosing_model(folder: Path, texts: Iterable[str], more: Iterable[str] = ()) -> None:
    """Write the folder of a model that knows the words of some texts, and more words."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    words = sorted({word for text in (*texts, *more) for word in text.lower().replace(".", " ").split()})
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", ".", *words]
    tokenizer = Tokenizer(models.WordLevel({w: n for n, w in enumerate(pieces)}, "[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        model_max_length=64,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
    )
    torch.manual_seed(3)
    config = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        initializer_range=0.8,
    )
    transformers.BertForMultipleChoice(config).eval().save_pretrained(folder)
    fast.save_pretrained(folder)
