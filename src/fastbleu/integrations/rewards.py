"""Rewards for reinforcement learning: `BLEUReward`."""

from __future__ import annotations

import re
from itertools import compress

from ..core.inputs._batch import count_blank
from ..core.inputs.arguments import a_type, check_choice, number_of, shown
from ..core.inputs.checks import check_segments
from ..core.inputs.errors import AmongGiven, InputError, warn_input
from ..core.inputs.missing import CHOICES, without_missing
from ..core.inputs.mistakes import MIN_SEQUENCES_TO_WARN
from ..core.metric.argument import as_metric, scorer_of
from ..core.runtime.import_lock import lazy
from ..core.scoring.base import PARTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, NoReturn

    import numpy
    import torch

    from ..core.inputs.types import MissingChoice
    from ..core.metric.argument import Metric
    from ..core.metric.segment_tokenizers import OneTokenizer
    from ..tables import rows
else:
    numpy = lazy("numpy")
    rows = lazy("fastbleu.tables.rows")
    torch = lazy("torch")

__all__ = ["BLEUReward"]

# Names under which a trainer passes something other than references.
_NO_REFERENCES = "completion", "completions", "prompt", "prompts"
# Scored in place of an empty text, because some dialects refuse short ones.
_PLACEHOLDER = "0 0 0 0"


class BLEUReward:
    """Sentence BLEU on 0-1 as a reward for TRL, verl and OpenRLHF.

    Pass an instance to TRL, its method `compute_score` to verl, or `compute_scores` to its reward
    manager "batch", and its function `reward_func` to OpenRLHF. All samples of a call are counted
    together. Instances can be pickled if `extract` and the metric can, and threads may share them.

    Parameters
    ----------
    references : str, default "references"
        The column of TRL's data set with the reference, or the list of references, of each prompt.
    extract : str, re.Pattern or callable (str -> str or None), optional
        Finds the answer in a completion. For a regular expression it is group 1 of the first match,
        or the whole match if there are no groups; if given as a str, its dot matches line ends,
        too. A completion without an answer has the reward 0.
    name : str, default "bleu"
        The name in TRL's and OpenRLHF's logs.
    missing : {"error", "empty", "skip"}, default "error"
        As for `BLEU.score`, but without a warning. The reward of a sample that "skip" leaves out is
        None in TRL, which then ignores it, and 0 in verl and OpenRLHF, which need a number.
    language, tokenizers : str, dict, optional
        For data in several languages, the column with the language of each prompt, and the
        tokenizer for each language; None stands for all others:
        ``language="lang", tokenizers={"zh": "zh", None: "13a"}``. In verl a key of `extra_info`, or
        "data_source". OpenRLHF passes no columns.
    metric : fastbleu.BLEU or str, optional
        A BLEU, or the name of a dialect or recipe; by default ``fastbleu.BLEU()``. Any scale
        becomes 0-1.

    Raises
    ------
    TypeError, ValueError
        An argument has the wrong type or an unknown value, or the dialect needs whole corpora.

    Examples
    --------
    >>> reward = BLEUReward(references="answer", extract="<answer>(.*?)</answer>")
    >>> completions = ["So: <answer>The cat sat down.</answer>", "The cat sat down."]
    >>> reward(completions=completions, answer=["The cat sat down."] * 2)
    [1.0, 0.0]
    """

    def __init__(
        self,
        references: str = "references",
        *,
        extract: str | re.Pattern[str] | Callable[[str], str | None] | None = None,
        name: str = "bleu",
        missing: MissingChoice = "error",
        language: str | None = None,
        tokenizers: Mapping[Any, OneTokenizer | None] | None = None,
        metric: Metric | None = None,
        **wrong: NoReturn,
    ) -> None:
        if "completions" in wrong:
            raise TypeError(
                "BLEUReward was called with completions: pass the trainer an instance, as in "
                "reward_funcs=[BLEUReward(references=...)]"
            )
        if wrong:
            raise TypeError(
                f"BLEUReward has no parameter {min(wrong)!r}; pass options of BLEU to its metric, "
                "metric=fastbleu.BLEU(...)"
            )
        if not isinstance(references, str):
            raise TypeError(
                f"references is {a_type(references)}, expected the name of their column"
            )
        if references in _NO_REFERENCES:
            raise ValueError(
                f"references is {references!r}, which the policy reads or writes; pass the name of "
                "the column with references"
            )
        if isinstance(extract, str):
            extract = re.compile(extract, re.DOTALL)
        if not (extract is None or callable(extract) or isinstance(extract, re.Pattern)):
            raise TypeError(
                f"extract is {a_type(extract)}, expected a regular expression or a function"
            )
        self.references = references
        self.extract = extract
        check_choice("missing", missing, CHOICES)
        self.missing = missing
        if language is not None or tokenizers is not None:
            rows.check_languages(language, tokenizers)
        self.language, self.tokenizers = language, dict(tokenizers or {})
        self.metric = as_metric(metric)
        scorer_of(self.metric).require(PARTS)  # a batch is part of a corpus
        self.__name__ = name

    def __call__(
        self, *, completions: Sequence[Any], prompts: Sequence[Any] | None = None, **columns: Any
    ) -> list[float | None]:
        """The rewards of a batch, 0-1; TRL's trainers pass all arguments by name.

        Errors and warnings as for `BLEU.sentence_scores`. Completions in place of references are
        refused. With four or more completions there is a warning if all are equal to their
        references, or if `extract` finds no answer in any of them.

        Parameters
        ----------
        completions : sequence of str or of messages
            Messages are a dict with "content", or a list of such dicts, of which the assistant's
            last one counts. For a metric with ``tokenize=False``, lists of tokens.
        **columns
            Columns of the data set; the one with references has a str, a list of str, or messages
            for each completion.
        """
        for argument, column in ("references", self.references), ("language", self.language):
            if column is not None and column not in columns:
                raise InputError(
                    f"there is no column {column!r}, only {shown([*columns])}; "
                    f"pass the name of one as BLEUReward({argument}=...)"
                )
        languages = None if self.language is None else columns[self.language]
        return self._rewards(completions, columns[self.references], languages)

    def compute_score(
        self,
        data_source: Any,
        solution_str: str,
        ground_truth: str | Sequence[str],
        extra_info: Any = None,
        **_options: Any,
    ) -> float:
        """The reward of one sample, 0-1, as verl calls it; `ground_truth` may be several texts."""
        return self.compute_scores([data_source], [solution_str], [ground_truth], [extra_info])[0]

    def compute_scores(
        self,
        data_sources: Sequence[Any],
        solution_strs: Sequence[str],
        ground_truths: Sequence[Any],
        extra_infos: Sequence[Any] | None = None,
        **_options: Any,
    ) -> list[float]:
        """The rewards of a batch, 0-1, as verl's reward manager "batch" calls it."""
        languages: Any = None
        if self.language == "data_source":
            languages = data_sources
        elif self.language is not None:
            infos = [{}] if extra_infos is None else [info or {} for info in extra_infos]
            if not all(self.language in info for info in infos):
                raise InputError(f"extra_info has no {self.language!r}, the column of languages")
            languages = [info[self.language] for info in infos]
        rewards = self._rewards(solution_strs, ground_truths, languages)
        return [reward or 0.0 for reward in rewards]

    @property
    def reward_func(self) -> Callable[..., dict[str, Any]]:
        """The function ``reward_func(queries, prompts, labels)``, as OpenRLHF calls it.

        It returns the rewards of a batch, 0-1, as float32 tensors in a dict. `labels` are the
        references. A query is its prompt followed by what the policy wrote, with special tokens
        such as the end of a turn, which `extract` can leave out. OpenRLHF cuts a long prompt on the
        left: its query begins with what is left of the prompt.
        """

        def reward_func(
            queries: Sequence[str], prompts: Sequence[str], labels: Sequence[Any], **_options: Any
        ) -> dict[str, Any]:
            if self.language is not None:
                raise ValueError("OpenRLHF passes no column of languages: leave out language=")
            completions = _without_prompts(queries, prompts)
            values = [reward or 0.0 for reward in self._rewards(completions, labels)]
            rewards = torch.tensor(values, dtype=torch.float32)
            return {"rewards": rewards, "scores": rewards, "extra_logs": {self.__name__: rewards}}

        return reward_func  # because Ray takes no methods

    def _rewards(
        self, completions: Any, references: Any, languages: Any = None
    ) -> list[float | None]:
        # Lists of texts, as they nearly always are, need no checks; -1 stands for all else.
        blank_completions = count_blank(completions)
        if blank_completions < 0:
            check_segments("completions", completions, "sample")
        if references is completions:
            raise InputError(
                f"the column {self.references!r} is the list of completions itself, so every "
                "reward would be 1; pass the name of the column with references"
            )
        are_texts = count_blank(references) >= 0
        if not are_texts:
            check_segments(f"the column {self.references!r}", references, "sample")
            if set(map(type, references)) & {dict, list, tuple}:
                references = _contents(f"the column {self.references!r}", references)
        contents = completions
        if blank_completions < 0:
            contents = _contents("completions", completions)
        present = None
        if self.missing != "error":
            contents, references, present = without_missing(contents, references, self.missing, "")
        answers = contents
        if self.extract is not None:
            answers = [self._answer(content) for content in contents]
        blank = []
        if blank_completions or self.extract is not None:
            blank = [n for n, a in enumerate(answers) if isinstance(a, str) and not a.strip()]
        if len(contents) >= MIN_SEQUENCES_TO_WARN:
            if are_texts and [*contents] == [*references]:
                warn_input(
                    f"all {len(contents)} completions are equal to their references; is the column "
                    f"{self.references!r} what the policy wrote?"
                )
            elif self.extract is not None and len(blank) == len(answers) and any(contents):
                warn_input("extract finds no answer in any completion: all rewards are 0")
        hypotheses = answers
        if blank:
            hypotheses = list(answers)
            for number in blank:
                hypotheses[number] = _PLACEHOLDER
        tokenizers = None
        if languages is not None:
            column, entries = str(self.language), self.tokenizers
            tokenizers = [rows.entry_of(language, entries, column) for language in languages]
            tokenizers = list(compress(tokenizers, present)) if present else tokenizers
        with AmongGiven(present):
            rewards = self.metric.sentence_scores(hypotheses, references, tokenizers=tokenizers)
        rewards /= scorer_of(self.metric).scale
        # With the dialect's rounding a perfect text has 1.0000000000000004. `clip` is slower.
        numpy.maximum(rewards, 0.0, out=rewards)
        numpy.minimum(rewards, 1.0, out=rewards)
        if blank:
            rewards[blank] = 0
        if present is None:
            return rewards.tolist()  # type: ignore[no-any-return]
        scored = iter(rewards.tolist())
        return [next(scored) if is_present else None for is_present in present]

    def _answer(self, content: Any) -> Any:
        """The part of a completion to score; "" if there is no answer."""
        if self.extract is None or not isinstance(content, str):
            return content
        if callable(self.extract):
            answer = self.extract(content)
            return "" if answer is None else answer
        match = self.extract.search(content)
        return (match and match.group(min(1, self.extract.groups))) or ""


def _without_prompts(queries: Sequence[str], prompts: Sequence[str]) -> list[str]:
    """What follows the prompt of each query."""
    if len(queries) != len(prompts):
        raise InputError(
            f"{number_of(len(queries), 'query', 'queries')} and "
            f"{number_of(len(prompts), 'prompt')}: pass the prompt of each query"
        )
    completions = []
    for number, (query, prompt) in enumerate(zip(queries, prompts, strict=True)):
        completion = _after_prompt(query, prompt)
        if completion is None:
            raise InputError(
                f"queries[{number}] does not begin with prompts[{number}] or the end of it: "
                f"{shown(query[: len(prompt)])} is not {shown(prompt)}"
            )
        completions.append(completion)
    return completions


def _after_prompt(query: str, prompt: str) -> str | None:
    """What follows a prompt, or the end of a prompt that was cut; None if the query has neither."""
    if query.startswith(prompt):
        return query[len(prompt) :]
    query = query.lstrip("\ufffd")  # a cut within a character
    for start in range(1, len(prompt)):
        if prompt[start] == query[:1] and query.startswith(prompt[start:]):
            # What the prompt also begins with does not tell that it was cut there.
            return None if prompt.startswith(prompt[start:]) else query[len(prompt) - start :]
    return None


def _contents(name: str, entries: Sequence[Any]) -> list[Any]:
    """The texts of entries; of chat messages, the content of the assistant's last one."""
    contents = []
    for number, entry in enumerate(entries):
        messages = [entry] if isinstance(entry, dict) else entry
        if isinstance(messages, (list, tuple)) and set(map(type, messages)) == {dict}:
            roles = [message.get("role") or "assistant" for message in messages]
            if "assistant" not in roles:
                raise InputError(
                    f"{name}: sample {number} has no message of the assistant, only of "
                    f"{shown(roles)}"
                )
            message = messages[-1 - roles[::-1].index("assistant")]
            if "role" in message or "content" in message:
                entry = _text_of(message.get("content"))
        contents.append(entry)
    return contents


def _text_of(content: Any) -> Any:
    """The content of a message as text: without images; "" for a call of a tool."""
    if isinstance(content, (list, tuple)):  # parts, some of which may be images
        parts = [part for part in content if isinstance(part, (str, dict))]
        texts = [part if isinstance(part, str) else part.get("text") for part in parts]
        return "".join(filter(None, texts))
    return "" if content is None else content
