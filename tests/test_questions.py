"""Questions that users have are answered one click from README, on pages that a forge shows."""

import re

import pytest
from processes import ROOT
from test_documentation import BRANCH, LINKED

# The question, the page, words of a heading, by which a search finds it, and a part of the answer.
QUESTIONS = [
    ("Why is my score 0?", "docs/faq.md", "Why is my score 0?", "smooth_method"),
    ("What is 9.29e-232?", "docs/faq.md", "9.29e-232", "SmoothingFunction().method1"),
    ("Is it 0-1 or 0-100?", "docs/faq.md", "0-1 or 0-100", "nltk's 0-1"),
    ("How do I get BLEU-1?", "docs/faq.md", "BLEU-1 and BLEU-2", "max_ngram_order=2"),
    ("How do I plot?", "docs/faq.md", "plot scores", "plot_comparisons"),
    ("What is public, and stable?", "docs/faq.md", "What is public", "underscore"),
    ("Where are PTB's rules from?", "docs/faq.md", 'tokenizer "ptb"', "was not read"),
    ("Which side comes first?", "docs/faq.md", "order of the arguments", "references[segment][k]"),
    ("What is a metric=?", "docs/reference/conventions.md", "Conventions", "metric="),
    ("Which attributes do errors have?", "docs/reference/conventions.md", "", "error.segment"),
    ("How do I score Chinese?", "docs/faq.md", "Chinese, Japanese", 'tokenize="zh"'),
    ("May I average sentences?", "docs/faq.md", "May I average", "`update` and `compute`"),
    ("How do I compute d-BLEU?", "docs/faq.md", "d-BLEU", "--documents"),
    ("What does the signature say?", "docs/guides/paper.md", "Report it in a paper", "`nrefs`"),
    ("Is a difference significant?", "docs/guides/significance.md", "", "compare"),
    ("Why do two numbers differ?", "docs/why-numbers-differ.md", "Why", "explain"),
    ("How do I mask padding?", "docs/guides/training.md", "Token ids", "ignore_ids"),
    ("Which column of a file?", "docs/guides/command.md", "Files", "--keyed-by"),
    ("Can I score by group, with FILTER?", "docs/guides/engines.md", "", "CASE WHEN"),
    ("What if a cell is empty?", "docs/guides/tables.md", "Files and streams", "missing="),
    ("Does it run on my platform?", "SUPPORT.md", "", "Windows"),
    ("How small is a p-value?", "docs/guides/significance.md", "p-value", ""),
    ("Is it the wrong tokenizer?", "docs/why-numbers-differ.md", "wrong tokenizer", ""),
    ("Which import replaces mine?", "docs/guides/coming-from.md", "", "fastbleu.sacrebleu"),
]


def linked_pages():
    for target in LINKED.findall((ROOT / "README.md").read_text("utf-8")):
        path = target.partition("#")[0]
        if branch := BRANCH.match(path):
            yield path[branch.end() :]


@pytest.mark.parametrize(("question", "page", "heading", "answer"), QUESTIONS)
def test_questions_are_answered_one_click_away(question, page, heading, answer):
    assert page in linked_pages(), question
    text = (ROOT / page).read_text("utf-8")
    sections = re.split(r"^(?=#+ )", text, flags=re.MULTILINE)
    about = [part for part in sections if heading in part.partition("\n")[0]]
    assert any(answer in part for part in about), question


def test_pages_one_click_away_are_shown_by_a_forge():
    """A page of Sphinx's directives alone shows names without text."""
    for page in {page for page in linked_pages() if page.endswith(".md")}:
        text = (ROOT / page).read_text("utf-8")
        shown = re.sub(r"```{eval-rst}[\s\S]*?```", "", text)
        assert len(shown.split()) > len(text.split()) / 2, page
