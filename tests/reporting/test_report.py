"""The report without a browser: what it takes, what it writes, and what it refuses."""

import base64
import json
import re
import zlib
from contextvars import copy_context
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import oracle
import pytest
import wmt22
from commands import POSIX, R1, R2, A, B, error, output, run, usage_error
from generators import raises, seeded
from hosts import host
from random_texts import random_corpus
from report_samples import ATTACKS, CASES, make_report, wmt22_systems

import fastbleu
from fastbleu import BLEU, significance, tables
from fastbleu.cli.command import SPELLINGS
from fastbleu.core.inputs.errors import spellings
from fastbleu.core.tokenizers.tokenizer import get as get_tokenizer
from fastbleu.core.tokenizers.tokenizer import load_tokenizer
from fastbleu.diagnosis.search import Finding
from fastbleu.plots.text import Table
from fastbleu.reporting import contents, document
from fastbleu.reporting.report_input import Segments
from fastbleu.reporting.verdict import CAUSES

pytestmark = pytest.mark.filterwarnings("ignore::fastbleu.InputWarning")

TEXTS = ["The cat sat on the mat.", "It rained all night.", "A dog barked at us."]
OTHER = ["A cat sat on a mat.", "It was raining all night long.", "A dog barked."]
REFERENCES = [["The cat sat on a mat."], ["It rained all night."], ["A dog barked at them."]]
SYSTEMS = {"one": TEXTS, "other": OTHER}


def payload(report, name="numbers"):
    """Header and sections of a block of data in a report's page."""
    found = re.search(rf'id="{name}">([^<]*)</script>', report.html())[1]
    content = zlib.decompress(base64.b64decode(found))
    size = int.from_bytes(content[:4], "little")
    header = json.loads(content[4 : 4 + size])
    kinds = {"uint8": "u1", "uint16": "<u2", "uint32": "<u4", "float64": "<f8"}
    sections = {
        name: np.frombuffer(content, kinds[kind], count, 4 + size + at)
        for name, (kind, at, count) in header["sections"].items()
    }
    return header, sections


def wmt22_texts(segments):
    """The outputs of the three systems from English to German, and the references."""
    systems, references = wmt22_systems("en-de", segments)
    return [*systems.values()], references


@pytest.mark.parametrize("metric", [BLEU(), BLEU("nltk")])
def test_each_system_has_its_own_numbers(metric):
    """On the page, and in Markdown."""
    report = fastbleu.report(SYSTEMS, REFERENCES, metric=metric, samples=0, dialects=False)
    (header, sections), markdown = payload(report), report.markdown(examples=9)
    of_sentences = BLEU(effective_order=True) if metric == BLEU() else metric
    for number, (name, hypotheses) in enumerate(SYSTEMS.items()):
        stats = metric.count(hypotheses, REFERENCES)
        assert sections[f"hyp_len.{number}"].tolist() == stats.hyp_lens.tolist()
        assert sections[f"matches.{number}.0"].tolist() == stats.matches[:, 0].tolist()
        assert header["scores"][number] == metric.score(stats).value
        scores = of_sentences.sentence_scores(stats).tolist()
        assert sections[f"score.{number}"].tolist() == scores
        for score, hypothesis in zip(scores, hypotheses, strict=True):
            assert f"- {name}, {score:.{header['digits']}f}: {hypothesis}\n" in markdown


def test_totals_below_0():
    """e2e counts hyp_len - n + 1 n-grams, which is negative for short hypotheses."""
    texts = ["a dog ran into the wood", *"abcdefgh" * 2]
    references = [["a dog ran into a wood"], *[[letter] for letter in "abcdefgg" * 2]]
    systems = {"all": texts, "fewer": [*texts[:9], *[""] * 8]}
    report = fastbleu.report(systems, references, metric="e2e", samples=10, dialects=False)
    score = report.scores["all"]
    assert min(score.totals) < 0 < min(score.matches[:3])
    assert all(0 <= precision <= 1 for precision in score.precisions)
    assert "totals &lt; 0" in report.markdown()
    [totals] = [
        s for s in fastbleu.explain(texts, references, "sacrebleu", "e2e").steps if s.points
    ]
    assert (totals.rule, totals.b) == ("totals", "e2e, some below 0")


@pytest.mark.parametrize("dialect", ["codexglue-summary", "llamafactory-metric"])
def test_a_mean_of_sentences_has_no_brevity_penalty(dialect):
    report = fastbleu.report(SYSTEMS, REFERENCES, metric=dialect, samples=0, dialects=False)
    assert report.scores["one"].bp is None
    assert "None" not in report.markdown() + str(report) + report.html()


@pytest.mark.parametrize("tokenize", ["13a", "intl", "none"])
def test_entities_are_shown_as_they_are_counted(tokenize):
    """13a decodes them, as texts in SGML need it; others count them as text."""
    escaped = ["AT&amp;T sold 1 &lt; 2 &quot;cats&quot; today"]
    plain = ['AT&T sold 1 < 2 "cats" today']
    options = {"metric": BLEU(tokenize=tokenize), "samples": 0, "dialects": False}
    report = fastbleu.report({"a": escaped}, [escaped], sources=escaped, **options)
    header, sections = payload(report, "texts")
    shown = plain if tokenize == "13a" else escaped
    assert sections["texts"].tobytes().decode() == 3 * shown[0]
    assert header["others"] == {}
    markdown = fastbleu.report({"a": shown}, [shown], sources=shown, **options).markdown()
    assert report.markdown().partition("## Worst")[2] == markdown.partition("## Worst")[2]


def test_tokens_in_place_of_text():
    systems = {name: [text.split() for text in its] for name, its in SYSTEMS.items()}
    references = [[text.split() for text in its] for its in REFERENCES]
    report = fastbleu.report(systems, references, metric=BLEU(tokenize=False))
    _, sections = payload(report, "texts")
    assert bytes(sections["texts"]).decode().startswith("The cat sat on a mat.The cat sat on the")
    numbers = {name: [[1, 2, 3, 4, 5]] for name in "ab"}
    assert fastbleu.report(numbers, [[[1, 2, 3, 4]]], metric=BLEU(tokenize=False)).html()


def test_a_table_by_columns():
    for library in ("narwhals", "pyarrow"):
        host(library)
    lines = [its[0] for its in REFERENCES]
    table = {"mt": TEXTS, "new": OTHER, "ref": lines, "ref2": TEXTS, "src": OTHER, "doc": [1, 1, 2]}
    labels = {"sources": OTHER, "documents": [1, 1, 2], "ids": [1, 1, 2], "metric": "nltk"}
    expected = fastbleu.report({"mt": TEXTS, "new": OTHER}, lines, **labels)
    labels |= {"sources": "src", "documents": "doc", "ids": "doc"}
    report = tables.report(table, ["mt", "new"], "ref", **labels)
    assert report.html() == expected.html()
    assert [*tables.report(table, {"a": "mt"}, ["ref", "ref2"], samples=0).scores] == ["a"]
    for arguments, kind, words in (
        ((["old"], "ref"), ValueError, "the table has no column 'old'"),
        (({"a": TEXTS}, "ref"), TypeError, r"systems\['a'\] is a list, expected the name of a col"),
        (("mt", []), ValueError, "references is empty"),
    ):
        raises(kind, words, tables.report, table, *arguments)
    raises(TypeError, "ids is an int, expected the name", tables.report, table, "mt", "ref", ids=3)


def test_wrong_arguments_are_refused():
    """But for those whose advice is typed in tests/test_advice.py."""
    for arguments, kind, words in (
        ({"systems": {}}, ValueError, "systems is empty"),
        ({"systems": {"a": []}, "references": []}, ValueError, "systems.'a'.: .* no segments"),
        ({"references": REFERENCES[:1]}, ValueError, "systems.'one'.: .*1 segment,"),
        ({"sources": TEXTS[:2]}, ValueError, "sources has 2 values for 3 segments"),
        ({"sources": "text"}, TypeError, "sources is a str"),
        ({"sources": [1, 2, 3]}, TypeError, r"sources\[0\] is an int, expected a str"),
        ({"metric": "13a"}, ValueError, "'13a' is a tokenizer, not a dialect"),
        ({"seed": "none", "samples": 0}, TypeError, "seed is 'none', expected an integer from 0"),
        ({"samples": -1}, ValueError, "samples"),
        ({"systems": {1: TEXTS, "1": OTHER}}, ValueError, "two systems have the same name: 1, 1"),
    ):
        given = {"systems": SYSTEMS, "references": REFERENCES, **arguments}
        raises(kind, words, fastbleu.report, **given)


def test_bars_of_progress(capsys):
    many = {name: texts * 4 for name, texts in SYSTEMS.items()}
    report = fastbleu.report(many, REFERENCES * 4, progress=True, dialects=False)
    assert "trials" in capsys.readouterr().err
    assert report.html() == fastbleu.report(many, REFERENCES * 4, dialects=False).html()
    assert capsys.readouterr().err == ""
    fastbleu.identify(TEXTS, REFERENCES, 50, progress=True)
    assert "settings" in capsys.readouterr().err


def test_nothing_is_half_written(tmp_path):
    report = fastbleu.report(SYSTEMS, REFERENCES, sources=TEXTS)
    again = fastbleu.report(SYSTEMS, REFERENCES, sources=TEXTS)
    for name in ("report.html", "report.md"):
        path = tmp_path / name
        path.write_text("before")
        with pytest.MonkeyPatch.context() as failing:
            failing.setattr("fastbleu.reporting.report.os.fsync", lambda _: 1 / 0)
            raises(ZeroDivisionError, "division", report.save, path)
        assert path.read_text() == "before"
        report.save(path)
        first = path.read_bytes()
        path.chmod(0o604)
        mode = path.stat().st_mode
        again.save(path)  # the same input gives the same file
        assert path.read_bytes() == first != b"before"
        assert path.stat().st_mode == mode
    assert sorted(its.name for its in tmp_path.iterdir()) == ["report.html", "report.md"]
    raises(IsADirectoryError, "directory", report.save, tmp_path)


def test_a_file_name_says_the_format(tmp_path):
    report = fastbleu.report(SYSTEMS, REFERENCES, dialects=False)
    pages = "a.html", "a.htm", "a.HTML", "a", "a.b/c"
    (tmp_path / "a.b").mkdir()
    for name in (*pages, "a.md"):
        report.save(tmp_path / name)
        assert (tmp_path / name).read_text().startswith("<!DOCTYPE") == (name in pages)
    for name in ("report.pdf", "report.json", "report.md.gz"):
        words = rf"path ends in \{name[name.rindex('.') :]}, expected .html or .md; or pass format"
        raises(ValueError, words, report.save, tmp_path / name)
        assert not (tmp_path / name).exists()
    report.save(tmp_path / "report.txt", "md")
    assert (tmp_path / "report.txt").read_text() == report.markdown()


@pytest.mark.skipif(not POSIX, reason="Windows may not permit links")
def test_a_link_stays_a_link(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("report.html")
    fastbleu.report(SYSTEMS, REFERENCES, dialects=False).save(link)
    assert link.is_symlink()
    assert not (tmp_path / "report.html").is_symlink()


def test_the_script_is_small_and_the_policy_allows_nothing_else():
    text = fastbleu.report(SYSTEMS, REFERENCES).html()
    script, style = document.read_script(), document.read_style()
    assert len(script.encode()) <= 300_000
    for part in (script, style):
        assert document.content_hash(part) in text
        assert part in text
        assert "</" not in part
    assert not re.search(r"https?://(?!www\.w3\.org)", text)
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', text)[1]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "http" not in policy
    assert not re.search(r'\bstyle="|\son\w+="', text.partition("<script")[0])


@pytest.mark.parametrize("name", [pytest.param("en-de", marks=pytest.mark.long), *CASES[1:]])
def test_the_page_is_small_and_texts_never_end_a_script(name, tmp_path):
    """Of three systems of 2,037 segments, and of hostile texts, too."""
    make_report(name).save(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text("utf-8")
    assert len(text.encode()) < 1_500_000
    assert text.count("<script") == 3
    assert "window.attacked = 1</script>" not in text


def test_markdown():
    report = fastbleu.report({"a|b": ATTACKS, "c": ATTACKS[::-1]}, [[text] for text in ATTACKS])
    text = report.markdown(examples=3)
    assert "<script" not in text
    assert text.startswith("# a\\|b, c\n")
    table = [line for line in text.splitlines() if line.startswith("| a\\|b ")]
    assert f"{report.scores['a|b'].value:.2f}" in table[0]
    assert text.count("\nSegment ") == 6
    assert len({line.replace("\\|", "").count("|") for line in table[:1]}) == 1
    scores = BLEU(effective_order=True).sentence_scores(TEXTS, REFERENCES)
    alone = fastbleu.report({"one": TEXTS}, REFERENCES, dialects=False).markdown(2)
    worst, middle, best = map(str, scores.argsort())
    shown = re.findall(r"^(?:Segment|##) (\w+)", alone, re.MULTILINE)
    assert shown[-6:] == ["Worst", worst, middle, "Best", best, middle]


def test_in_notebooks():
    report = fastbleu.report(SYSTEMS, REFERENCES)
    # What a reader wants to know comes first.
    [sentence] = verdict(report)
    assert report._repr_html_().startswith(f"<p>{sentence}</p><table><caption>Systems")
    assert str(report).partition("\n\nSystems\n")[0].split() == sentence.split()
    assert max(map(len, str(report).splitlines())) <= 80
    assert "3 segments, one: " in repr(report)
    stats = BLEU().count(TEXTS, REFERENCES)
    shown = stats._repr_html_()
    for row in (stats.sum(), *stats):
        matches, total = row.matches[0][0], row.totals[0][0]
        assert f"<td>{matches} / {total}</td>" in shown
    found = fastbleu.matrix.mbr(TEXTS)
    assert f"<td>{found.best}</td><td>{found.utilities.max():.4g}</td>" in found._repr_html_()
    batch = fastbleu.matrix.mbr([TEXTS, OTHER])
    assert batch._repr_html_().count("<tr>") == 3
    interval = significance.bootstrap(stats, samples=10)
    assert "<table>" in interval._repr_html_()


def test_no_markup_of_names_reaches_notebooks():
    systems = dict(zip(ATTACKS, [TEXTS, OTHER], strict=False))
    page = ATTACKS[0]
    table = Table(page, [page], [[page]], [page])
    for html, texts in (
        (fastbleu.report(systems, REFERENCES)._repr_html_(), {*systems}),
        (significance.compare(systems, REFERENCES, samples=10)._repr_html_(), {*systems}),
        (table.html(), {page}),
    ):
        shown = ElementTree.fromstring(f"<div>{html}</div>")
        assert texts <= {"".join(cell.itertext()) for cell in shown.iter("td")}
    assert [shown.find(f".//{tag}").text for tag in ("caption", "th", "p")] == [page] * 3


def escaped_texts(segments):
    """Texts with an entity, and what they should be."""
    references = [f"the cat's number {number} sat on the mat" for number in range(segments)]
    return [text.replace("'", "&#39;") for text in references], references


def test_likely_mistakes_are_merged_and_small_ones_are_left_out():
    escaped, references = escaped_texts(2000)
    once, half = [escaped[0], *references[1:]], escaped[:100] + references[100:]
    for given, expected in (
        ({"a": once, "b": once}, []),
        ({"a": escaped, "b": escaped, "c": references}, ["a and b"]),
        ({"a": escaped}, ["a"]),
        ({"a": escaped, "b": escaped}, ["all systems"]),
        ({"a": escaped, "b": half}, ["all systems"]),
        ({"a": escaped, "b": once}, ["a"]),
    ):
        # Of that many, one is too few.
        rows = slice(2000 if once in given.values() else 200)
        given = {name: texts[rows] for name, texts in given.items()}
        report = fastbleu.report(given, references[rows], samples=0, dialects=False)
        text, page = report.markdown(0), report.html()
        rows = [line for line in text.splitlines() if "| entities |" in line]
        assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == expected
        assert ("Likely mistakes" in text) == ("Likely mistakes" in page) == bool(expected)
        if expected:
            assert page.index('id="findings"') < page.index('id="segments"')


def test_effects_of_a_merged_mistake_are_a_range():
    escaped, references = escaped_texts(20)
    shorter = [text.replace("mat", "") for text in escaped]
    report = fastbleu.report({"a": escaped, "b": shorter}, references, samples=0, dialects=False)
    effects = []
    for texts in (escaped, shorter):
        found = fastbleu.explain(texts, references, "sacrebleu", "sacrebleu").findings
        effects += [one.points for one in found if one.name == "entities"]
    low, high = (f"{points:+.2f}" for points in sorted(effects))
    assert f"| all systems | entities | {low} to {high} |" in report.markdown(0)


# The tokens in the page.


def decoded(made, texts):
    """The tokens of all texts, read as the page reads them: in UTF-16."""
    units, found, start = made.joined.encode("utf-16-le"), [], 0
    assert len(made.lengths) == len(texts)
    for number, length in enumerate(made.lengths.tolist()):
        tokens, unit = [""], b""
        for at in range(start, start + length):
            unit += units[2 * at : 2 * at + 2]
            if made.cuts[at]:
                tokens.append("")
            if 0xD8 <= unit[-1] < 0xDC:  # the first half of a character
                continue
            character, unit = unit.decode("utf-16-le"), b""
            if character in "\t\n\r \u00a0\u3000":
                tokens.append("")
            else:
                tokens[-1] += character
        start += length
        found.append(made.others.get(number, [token for token in tokens if token]))
        assert made.counts[number] == len(found[-1])
    return found


@pytest.mark.parametrize(
    "name", ["none", "13a", "zh", "intl", "char", "multi-bleu", "tensor2tensor", "callable"]
)
def test_tokens_of_the_page_are_those_that_are_counted(name):
    rng = seeded("tokens of the page", name)
    texts = [text.replace("\ud800", "x") for text in random_corpus(rng, 300)[0]]
    texts += ["", " ", "İstanbul ΑΣ", "😀 a😀b", "one", "a  b", "&quot;x&quot;"]
    tokenizer = get_tokenizer(str.split) if name == "callable" else load_tokenizer(name)
    for lowercase in (False, True):
        of_all = [False] * len(texts), tokenizer, lowercase, [tokenizer] * len(texts)
        cut = contents.cut_texts(texts, *of_all)
        found = decoded(contents.Texts(texts, *cut), texts)
        for number, (text, tokens) in enumerate(zip(texts, found, strict=True)):
            expected = tokenizer.tokens(text, lowercase)
            of_text = number not in cut[2]
            assert [t.lower() if lowercase and of_text else t for t in tokens] == expected


def test_the_first_reference_chooses_the_tokenizer_of_the_page():
    chinese = (
        ["他在2019年买了iPhone 11。", "今天很好"],
        [["他在2019年买了一部iPhone 11。", "a b"], ["今天天气很好"]],
    )
    latin = ["今a", "a B c"], [["a b c 今a", "今天"], ["a b d"]]
    for (texts, references), name in ((chinese, "zh"), (latin, "13a")):
        for lowercase in (False, True):
            auto, fixed = (BLEU(tokenize=t, lowercase=lowercase) for t in ("auto", name))
            expected = contents.make_texts(Segments({"x": texts}, references, fixed))
            made = contents.make_texts(Segments({"x": texts}, references, auto))
            assert (made.header, made.base64()) == (expected.header, expected.base64())


def test_segments_and_systems_without_a_score():
    """NaN comes last, and is neither the best nor equal; a system that has no score is refused."""
    references = [["a b c d e"], ["the cat sat on the mat"], ["w x y z"], ["q r s t u"]]
    good = ["a b c d", "the cat sat on a mat", "w x y", "q r s t u"]
    other = ["a b c d e", "the cat sat on the mat", "", "q q"]
    best = ["", *[texts[0] for texts in references[1:]]]
    options = {"documents": ["first", "second", "third", "fourth"], "metric": "lm-eval-careqa"}
    for systems, scored in (
        ({"other": other}, "013"),
        ({"x": good, "y": other, "z": best}, "13"),
        ({"good": good, "other": other}, "013"),
    ):
        report = fastbleu.report(systems, references, **options)
        [_, of_documents] = payload(report)[0]["buckets"]
        if len(systems) == 3:
            assert [scores.index(None) for scores in of_documents["scores"][1:]] == [2, 0]
        segments = re.findall(r"^Segment (\d)$", report.markdown(), re.MULTILINE)
        assert set(segments) == set(scored)
    assert "Better in 2 segments, worse in 1, equal in 0." in report.markdown()
    systems = {"good": good, "empty": [""] * 4}
    message = r"systems\['empty'\] has no score: it is NaN"
    raises(ValueError, message, fastbleu.report, systems, references, **options)


def test_no_texts_have_no_tokens():
    assert contents.Texts([], [], [], {}).cuts.tolist() == []
    made = contents.Texts(["\ud800 x", ""], [0, 1, 2, 3], [2, 0], {})
    assert made.joined == "\ufffd x"
    assert decoded(made, ["", ""]) == [["\ufffd", "x"], []]


def test_flags():
    rng = seeded("flags")
    hypotheses = [rng.choices("abc", k=rng.choice((0, 1, 5, 20, 40))) for _ in range(300)]
    references = [[rng.choices("abc", k=rng.randint(1, 20))] for _ in range(300)]
    sources = [" ".join(its) if rng.random() < 0.2 else "x" for its in hypotheses]
    segments = Segments({"a": hypotheses}, references, BLEU(tokenize=False), sources=sources)
    found = contents.flags_of(segments, 0).tolist()
    for mark, own, [its], source in zip(found, hypotheses, references, sources, strict=True):
        counts = oracle.ngram_counts(own, 4).values()
        expected = [
            not own,
            bool(own) and " ".join(own) == source,
            len(own) > 2 * len(its) and len(own) >= len(its) + 5,
            len(its) > 2 * len(own) and len(its) >= len(own) + 5,
            max(counts, default=0) >= 3,
        ]
        assert [bool(mark >> bit & 1) for bit in range(5)] == expected


# The command.


def test_the_command_writes_what_report_makes(tmp_path):
    *streams, one, other = map(wmt22.read_lines, (R1, R2, A, B))
    page, notes = tmp_path / "report.html", tmp_path / "report.md"
    arguments = R1, R2, "-i", A, B
    options, labels = ["--html", page, "--md", notes, "--sources", R1], {"sources": streams[0]}
    for name in ("documents", "groups", "ids"):
        labels[name] = [f"{name} {number // 7}" for number in range(len(one))]
        path = tmp_path / f"{name}.txt"
        path.write_text("".join(f"{label}\n" for label in labels[name]), encoding="utf-8")
        options += [f"--{name}", path]
    _, printed, said = run(*arguments, *options)
    assert printed == output(*arguments)
    for path in (page, notes):
        assert f"fastbleu: wrote {path} (2 systems, 40 segments)\n" in said
    named, references = {"system-a": one, "system-b": other}, list(zip(*streams, strict=True))
    context = copy_context()
    context.run(spellings.set, SPELLINGS)  # what messages on the page advise
    report = context.run(fastbleu.report, named, references, **labels)
    assert page.read_text(encoding="utf-8") == report.html()
    assert notes.read_text(encoding="utf-8") == report.markdown()


def test_the_command_scores_as_its_options_say(tmp_path):
    options = "--md", tmp_path / "r.md", "-b", "-f", "text", "-q"
    for how in (["-lc", "-tok", "intl", "-s", "floor", "-sv", "0.2"], ["--dialect", "nltk"]):
        digits = 4 if "nltk" in how else 2
        printed = output(R1, "-i", A, *options, *how, "-w", digits)
        row = f"| system-a | {printed.strip()} |"
        assert row in (tmp_path / "r.md").read_text(encoding="utf-8")


def test_the_command_refuses(tmp_path):
    given = R1, "-i", A
    assert "--groups is shown in a report" in usage_error(*given, "--groups", R1)
    assert "--html" in usage_error(*given, "--open")
    where = tmp_path / "no" / "r.html"
    assert str(where) in error(*given, "--html", where)
    short = tmp_path / "short.txt"
    short.write_text("one line\n")
    assert "short.txt" in error(*given, "--html", tmp_path / "r.html", "--sources", short)
    assert not (tmp_path / "r.html").exists()


# Where systems differ.


def parts_of(sections, system):
    low, step = sections[f"part.{system}.range"]
    return low + step * sections[f"part.{system}"]


@pytest.mark.wmt22
@pytest.mark.parametrize("dialect", ["sacrebleu", "nltk"])
def test_the_share_of_each_segment_is_what_the_difference_loses_without_it(dialect):
    [one, other, _], references = wmt22_texts(60)
    given, metric = {"a": one, "b": other}, BLEU(dialect)
    report = fastbleu.report(given, references, metric=metric, samples=0, dialects=False)
    header, sections = payload(report)

    def score(name, left_out):
        kept = [s for s in range(60) if s not in left_out]
        texts = [given[name][s] for s in kept]
        return metric.score(texts, [references[s] for s in kept]).value

    whole = report.scores["b"].value - report.scores["a"].value
    parts = []
    for number, name in enumerate("ab"):
        expected = [report.scores[name].value - score(name, {s}) for s in range(60)]
        tolerance = (max(expected) - min(expected)) / 60_000
        assert parts_of(sections, number) == pytest.approx(expected, abs=tolerance)
        parts.append(np.array(expected))
    order = np.argsort(-(parts[1] - parts[0]) / whole, kind="stable")
    without = score("b", {*order[:20]}) - score("a", {*order[:20]})
    better = "better" if without > 0 else "worse"
    expected = (
        f"The 20 segments that count most explain {100 * (1 - without / whole):.0f} % of the "
        f"difference: without them it would be {abs(without):.{header['digits']}f} {better}."
    )
    assert header["explained"][1][0] == expected
    first, last = order[:: 1 if whole > 0 else -1][[0, -1]]
    text = report.markdown(1)
    assert text.index(expected) < text.index(f"losses, b - a\n\nSegment {last}\n")
    assert f"gains, b - a\n\nSegment {first}\n" in text


@pytest.mark.wmt22
def test_twenty_segments_explain_most_of_a_small_difference():
    systems, references = wmt22_systems("en-de")
    given = {name: systems[name] for name in ("JDExploreAcademy", "Online-B")}
    report = fastbleu.report(given, references, samples=0, dialects=False)
    header, sections = payload(report)
    assert int(re.search(r"explain (\d+) %", header["explained"][1][0])[1]) > 50
    first = np.argsort(parts_of(sections, 0) - parts_of(sections, 1), kind="stable")[:20]
    lengths = BLEU().count(given["Online-B"], references).ref_lens
    assert np.median(lengths[first]) > np.median(lengths)  # not the shortest ones


def test_equal_and_few_segments_have_no_share():
    for systems, times in ((SYSTEMS, 1), (dict.fromkeys("ab", TEXTS * 20), 20)):
        report = fastbleu.report(systems, REFERENCES * times, samples=0, dialects=False)
        assert payload(report)[0]["explained"] == [["", ""], ["", ""]]
        assert "nan" not in report.markdown()


@pytest.mark.wmt22
def test_buckets_have_intervals_of_the_difference():
    systems, references = wmt22_texts(200)
    given = dict(zip("abc", systems, strict=True))
    documents = [number // 50 for number in range(200)]
    report = fastbleu.report(given, references, documents=documents, dialects=False, samples=100)
    [_, of_documents] = payload(report)[0]["buckets"]
    for code in range(4):
        part = slice(50 * code, 50 * code + 50)
        for a, b in combinations(range(3), 2):
            two = {name: given[name][part] for name in ("abc"[a], "abc"[b])}
            [found] = significance.compare(two, references[part], samples=100, trials=1).values()
            interval = found.difference_interval
            expected = [round(end, 3) for end in (interval.low, interval.high)]
            assert of_documents["intervals"][f"{a}.{b}"][code] == expected
    alone = fastbleu.report({"a": given["a"]}, references, documents=documents, dialects=False)
    [_, of_documents] = payload(alone)[0]["buckets"]
    interval = significance.bootstrap(given["a"][:50], references[:50])
    assert of_documents["intervals"]["0.0"][0] == [round(interval.low, 3), round(interval.high, 3)]


# The verdict.


def verdict(report):
    """The sentences at the top."""
    text = report.markdown(0).partition("\n\n## ")[0]
    return text.split("\n\n")[1:]


def test_the_verdict_has_words_for_each_likely_mistake():
    names = re.findall('"([a-z -]+)"', Finding.__doc__)
    assert len(names) > 20
    assert {*names} <= {*CAUSES}


@pytest.mark.wmt22
def test_the_verdict_of_two_systems():
    [one, other, _], references = wmt22_texts(600)
    short = [text if number % 3 else text[: len(text) // 2] for number, text in enumerate(other)]
    short[100:120] = ["nothing"] * 20
    documents = [f"d{number // 20}" for number in range(600)]
    given = {"a": one, "b": short}
    report = fastbleu.report(given, references, documents=documents, dialects=False)
    scores = {name: score.value for name, score in report.scores.items()}
    [text] = verdict(report)
    found = re.fullmatch(
        r"b is (.*) worse than a \(95 %: (.*) to (.*); p &lt; 0.0001\)\. (?:b has .*unknown\. )?"
        r"Of the difference: n-grams (.*), length (.*)\. "
        r"Better in (.*) segments, worse in (.*), equal in (.*)\. No document explains it\.",
        text,
    )
    points, low, high, ngrams, length = map(float, found.groups()[:5])
    assert points == round(scores["a"] - scores["b"], 2)
    assert 0 < low < points < high
    assert round(ngrams + length + points, 2) == 0
    # Without the brevity penalty only n-grams are left.
    assert length < -1
    sentences = BLEU().sentence_scores
    signs = np.sign(sentences(short, references) - sentences(one, references))
    assert [int(count) for count in found.groups()[5:]] == [(signs == n).sum() for n in (1, -1, 0)]
    alone = verdict(fastbleu.report({"a": one}, references, dialects=False))
    assert alone[0].startswith(f"a scores {scores['a']:.2f} (95 %: ")
    same = fastbleu.report({"a": one, "b": one}, references, dialects=False)
    assert verdict(same) == ["b and a have the same score."]


@pytest.mark.wmt22
def test_the_verdict_says_what_may_be_chance():
    [one, other, _], references = wmt22_texts(60)
    documents, given = [number // 10 for number in range(60)], {"a": one, "b": other}
    report = fastbleu.report(given, references, documents=documents, dialects=False)
    [text] = verdict(report)
    assert re.search(r"b is .* than a \(95 %: -.*; p = 0\.\d+\), which may be chance\. Of", text)
    assert "document" not in text


@pytest.mark.wmt22
def test_the_verdict_names_a_document_only_if_it_makes_the_difference():
    [one, *_], references = wmt22_texts(400)
    documents = [f"d{number // 20}" for number in range(400)]
    bad = ["nothing to say" if d == "d7" else text for d, text in zip(documents, one, strict=True)]
    worse = ["nothing to say" if n % 20 == 0 else text for n, text in enumerate(one)]
    for other, end in (
        (worse, "No document explains it."),
        (bad, "Without document d7 it would be 0.00 worse."),
    ):
        given = {"a": one, "b": other}
        report = fastbleu.report(given, references, documents=documents, dialects=False)
        assert verdict(report)[0].endswith(end)
    header, _ = payload(report)
    assert ["d7", "#bucket=1.7"] in header["verdicts"][1][0]
    assert [kind["name"] for kind in header["buckets"]] == ["reference length", "document"]


QUOTES = str.maketrans(dict.fromkeys("„“”", '"') | dict.fromkeys("‚‘’", "'"))


@pytest.mark.wmt22
def test_the_verdict_names_the_mistake_that_makes_the_difference():
    systems, references = wmt22_systems("en-de")
    typographic = systems["Online-Y"]
    plain = [text.translate(QUOTES) for text in typographic]
    report = fastbleu.report({"a": typographic, "b": plain}, references, dialects=False)
    points, cause = re.search(
        r"b is (\S+) worse .* About (\S+) of it is quotation marks\.", verdict(report)[0]
    ).groups()
    assert float(points) == float(cause) > 0.5  # the same texts, except for the quotes
    header, _ = payload(report)
    assert ["quotation marks", "#mistakes"] in header["verdicts"][1][0]

    # A lead that is small because of the quotes: they make no part of it.
    pairs = zip(references, plain, strict=True)
    better = [texts[0] if n % 10 == 0 else text for n, (texts, text) in enumerate(pairs)]
    better = [text.translate(QUOTES) for text in better]
    report = fastbleu.report({"a": typographic, "b": better}, references, dialects=False)
    assert "quotation" not in verdict(report)[0]


@pytest.mark.wmt22
def test_the_best_of_several_systems():
    systems, references = wmt22_systems("en-de", 300)
    best, other = systems["Online-B"], systems["Online-Y"]
    worse = [" ".join(text.split()[1:]) for text in other]
    given = {"worse": worse, "almost": [*other[:1], *best[1:]], "other": other, "best": best}
    report = fastbleu.report(given, references, dialects=False)
    order = sorted(given, key=lambda name: -report.scores[name].value)
    headline, text = verdict(report)
    value = report.scores[order[0]].value
    assert order[-1] == "worse"
    assert headline.startswith(f"{order[0]} has the highest score of 4 systems, {value:.2f}; ")
    end = "not significantly worse, all others are (p adjusted for 6 comparisons)."
    assert headline.endswith(end)
    assert text.startswith(f"{order[0]} is ")
    assert f" than {order[1]}; 1 segment differs: too few for a test." in text
    header, _ = payload(report)
    assert header["pair"] == [[*given].index(name) for name in (order[1], order[0])]
    given = {"x": worse, "y": worse, "z": best}
    report = fastbleu.report(given, references, dialects=False)
    end = "; all others are significantly worse (p adjusted for 3 comparisons)."
    assert verdict(report)[0].endswith(end)


@pytest.mark.wmt22
def test_a_mistake_of_all_systems_stands_above_and_holds_ranks_back():
    systems, references = wmt22_systems("en-zh", 400)
    # Without the last sentence, which 13a hardly sees and zh does.
    short = [text[: 2 * len(text) // 3] + "。" for text in systems["Online-A"]]
    given = {**systems, "short": short}
    for tokenize in ("13a", "zh"):
        metric, is_held = BLEU(tokenize=tokenize), tokenize == "13a"
        page = fastbleu.report(given, references, metric=metric, samples=100, dialects=False).html()
        above = page.partition('id="verdict"')[0]
        assert ('class="warning"' in above) == is_held
        assert ("Ranks are left out" in above) == is_held
        assert ('<th scope="col">Rank</th>' in page) != is_held
        if is_held:
            zh = BLEU(tokenize="zh")
            right = {name: zh.score(own, references).value for name, own in given.items()}
            first, second, *_ = sorted(right.values(), reverse=True)
            lead = f"{max(right, key=right.get)} would (still )?lead by {first - second:.2f}\\."
            assert re.search(f"<bdi>All systems</bdi>:</strong> the text is .* {lead}", above)


def test_no_lead_is_claimed_from_an_estimate():
    references = [
        f"Number {n} leaves for town {n * 7} from stop {n % 3} at noon." for n in range(40)
    ]
    systems = [[" ".join(text.split()[:most]) for text in references] for most in (5, 6)]
    report = fastbleu.report(dict(zip("ab", systems, strict=True)), references, dialects=False)
    [mistake] = report._overview.mistakes
    assert (mistake.name, mistake.effect) == ("short", "unknown")
    assert "would lead" not in report.markdown()


def test_a_system_without_the_mistake_of_the_two_best_does_not_hide_it():
    best, references = escaped_texts(40)
    given = {"best": best, "next": [best[0].replace("sat", "is"), *best[1:]]}
    gain = r"Without it the score would be \S+ to \S+ points higher, and best would still lead"
    for others, having in (({}, "All systems"), ({"c": ["a dog"] * 40}, "best and next")):
        report = fastbleu.report({**given, **others}, references, samples=20, dialects=False)
        assert re.match(f"{having}: 40 of the hypotheses have HTML.* {gain}", verdict(report)[0])


def test_sentences_on_two_systems_depend_on_no_third_one():
    rng = seeded("pairs")
    words = ["The", "cat's", "Dog", "sat", "on", "a", "Mat", "and", "it", "rained"]
    references = [" ".join(rng.choices(words, k=rng.randint(4, 12))) for _ in range(60)]

    def noisy(share):
        def changed(word):
            return rng.choice(words) if rng.random() < share else word

        return [" ".join(map(changed, text.split())) for text in references]

    given = {"good": noisy(0.05), "bad": noisy(0.4), "near": noisy(0.07)}
    given["escaped"] = [text.replace("'", "&#39;").lower() for text in given["near"]]
    given["few"] = [*given["bad"][:4], *given["good"][4:]]
    options = {"documents": [n // 10 for n in range(60)], "samples": 50, "dialects": False}

    def sentences(systems):
        header, _ = payload(fastbleu.report(systems, references, **options))
        return header["verdicts"]

    among, names = sentences(given), list(given)
    for a, b in combinations(range(len(names)), 2):
        alone = sentences({names[number]: given[names[number]] for number in (a, b)})
        assert alone == [[among[a][a], among[a][b]], [among[b][a], among[b][b]]]
    few = "".join(text for text, _ in among[names.index("few")][0])
    assert "worse than good; 4 segments differ: too few for a test. " in few


@pytest.mark.wmt22
def test_systems_that_a_mistake_touches_alike_keep_their_ranks():
    systems, references = wmt22_systems("en-de", 200)
    lower = {name: [text.lower() for text in texts] for name, texts in systems.items()}
    page = fastbleu.report(lower, references, samples=100, dialects=False).html()
    assert "lowercased" in page
    assert '<th scope="col">Rank</th>' in page


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["newstest2022.hyp.Huoshan", "newstest2022.hyp.Online-B"], ["Huoshan", "Online-B"]),
        (["system-a", "system-b"], ["system-a", "system-b"]),
        (["newstest2022.a", "newstest2022.b"], ["newstest2022.a", "newstest2022.b"]),
        (["one-long-name", "one-long-name-2"], ["one-long-name", "one-long-name-2"]),
    ],
)
def test_a_long_common_beginning_of_names_is_cut(names, shown):
    segments = Segments(dict.fromkeys(names, TEXTS), REFERENCES, BLEU())
    assert segments.shown_names == shown


@pytest.mark.wmt22
def test_other_dialects_and_whether_they_change_the_order():
    [one, other, _], references = wmt22_texts(100)
    named, first = {"a": one, "b": other}, [texts[0] for texts in references]
    page = fastbleu.report(named, first, samples=0).html()
    found = re.findall(r'<tr><th scope="row">([\w-]+)</th>((?:<td>[^<]*</td>){4})</tr>', page)
    rows = {name: re.findall("<td>([^<]*)</td>", cells) for name, cells in found}
    assert set(rows) <= set(fastbleu.dialects.names())
    assert len(rows) > 14
    gaps = {}
    for name in rows:
        metric = BLEU(name)
        one, other = (metric.score(own, first).value for own in named.values())
        gaps[name] = (other - one) * 100 / metric._scorer.dialect.scale
    reordered = [name for name in rows if (gaps[name] > 0) != (gaps["sacrebleu"] > 0)]
    for name, (*_, lead, order) in rows.items():
        assert lead == f"{'b' if gaps[name] > 0 else 'a'} +{abs(gaps[name]):.2f}"
        assert order == ("another" if name in reordered else "the same")
    summary = re.search("every BLEU .* dialects.: (.*)</summary>", page)[1]
    assert summary.startswith("another order by" if reordered else "all have the same order")


def test_the_report_says_that_dialects_are_left_out(monkeypatch):
    for most, options, is_said in ((5, {}, True), (6, {}, False), (5, {"dialects": False}, False)):
        monkeypatch.setattr("fastbleu.reporting.overview._MOST_FOR_DIALECTS", most)
        report = fastbleu.report(SYSTEMS, REFERENCES, samples=0, **options)
        assert ("Scores by other dialects are left out" in report.markdown(0)) == is_said


def test_ranks_and_where_a_group_of_systems_ends():
    references = [f"the cat number {number} sat on the mat" for number in range(40)]
    given = {"far": [text[:12] for text in references], "best": references}
    given["near"] = ["the dog", *references[1:]]
    page = fastbleu.report(given, references, dialects=False).html()
    row = r'<tr( class="cut")?><th scope="row"[^>]* title="(\w+)">.*?</svg></td><td>(.*?)</td>'
    ranked = [("", "best", "1-2"), (' class="cut"', "near", "1-2"), ("", "far", "3")]
    assert re.findall(row, page, re.DOTALL) == ranked


def test_buckets_are_named_after_their_lengths():
    many = {name: texts * 7 for name, texts in SYSTEMS.items()}
    header, _ = payload(fastbleu.report(many, REFERENCES * 7, samples=0))
    assert [kind["labels"] for kind in header["buckets"]] == [["0-5", "6-10"]]
