"""Published test sets, through an installed sacreBLEU, which downloads them once.

The output is that of the command `sacrebleu`.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from ..core.inputs.arguments import closest, shown
from ..core.runtime.extras import install_command
from .imports import import_undisturbed
from .parser import Options
from .readers import InputError


def reference_files(options: Options) -> list[list[str]]:
    """Return the paths of the references: for each reference one file per test set."""
    utils = _sacrebleu(options)
    names = str(options.test_set).split(",")
    files_of_sets = []
    for name in names:
        _check_known(utils, name)
        pairs = utils.get_langpairs_for_testset(name)
        if options.langpair not in pairs:
            problem = f"test set {name} has no language pair {options.langpair}"
            raise InputError(f"{problem}; it has {', '.join(pairs)}")
        with _trouble(name):
            files_of_sets.append(utils.get_reference_files(name, options.langpair))
        if not files_of_sets[-1]:
            raise InputError(f"test set {name} has no references for {options.langpair}")
    counts = [len(files) for files in files_of_sets]
    if len(set(counts)) > 1:
        each = ", ".join(f"{name} has {count}" for name, count in zip(names, counts, strict=True))
        raise InputError(f"the test sets differ in the number of references: {each}")
    return [list(files) for files in zip(*files_of_sets, strict=True)]


def kept_segments(options: Options) -> set[int]:
    """Return the numbers, from 0, of the segments that --origlang and --subset select."""
    utils = _sacrebleu(options)
    with _trouble(str(options.test_set)):
        chosen = options.test_set, options.langpair, options.origlang, options.subset
        (kept,) = utils.filter_subset([itertools.count()], *chosen)
    if not kept:
        limits = [f"--origlang {options.origlang}"] if options.origlang is not None else []
        limits += [f"--subset {options.subset}"] if options.subset is not None else []
        problem = f"no segment of test set {options.test_set} matches"
        raise InputError(f"{problem} {' and '.join(limits)}")
    return set(kept)


def print_about(options: Options) -> None:
    """Carry out --list, --echo, --citation and --download."""
    utils = _sacrebleu(options)
    sets = options.test_set.split(",") if options.test_set is not None else []
    for name in [*sets, *([options.download] if options.download else [])]:
        _check_known(utils, name)
    if options.download:
        with _trouble(options.download):
            utils.download_test_set(options.download, options.langpair)
    elif options.list:
        _print_list(utils, options)
    elif options.citation:
        if not sets:
            raise InputError("--citation needs a test set: name it with -t")
        for name in sets:
            if utils.DATASETS[name].citation is None:
                raise InputError(f"sacreBLEU does not say how to cite {name}")
            print(utils.DATASETS[name].citation)
    else:
        if not sets or options.langpair is None:
            raise InputError("--echo needs a test set (-t) and a language pair (-l)")
        chosen = options.langpair, options.echo, options.origlang, options.subset
        for name in sets:
            with _trouble(name):
                utils.print_test_set(name, *chosen)
    sys.stdout.flush()


def _print_list(utils: ModuleType, options: Options) -> None:
    if options.test_set is not None:
        pairs = [options.langpair] if options.langpair else None
        with _trouble(options.test_set):
            for pair in pairs or utils.get_langpairs_for_testset(options.test_set):
                print(f"{pair}: {', '.join(utils.DATASETS[options.test_set].fieldnames(pair))}")
        return
    names, pair = utils.get_available_testsets(), ""
    if options.langpair:
        names = utils.get_available_testsets_for_langpair(options.langpair)
        pair = f" for {options.langpair}"
    print(f"The available test sets{pair} are:")
    for name in sorted(names):
        print(f"{name:<30}: {utils.DATASETS[name].description.strip()}")


def _check_known(utils: ModuleType, name: str) -> None:
    if name in utils.DATASETS:
        return
    meant = closest(name, utils.DATASETS)
    hint = f"did you mean {meant}? " if meant else ""
    raise InputError(f"test set {shown(name)} is unknown to sacreBLEU: {hint}--list prints all")


def _sacrebleu(options: Options) -> ModuleType:
    try:
        utils: ModuleType = import_undisturbed("sacrebleu.utils")
    except ImportError as error:
        problem = f"test sets need sacreBLEU ({error})"
        raise InputError(f"{problem}: {install_command('testsets')}") from error
    if not options.quiet:
        import logging

        logging.basicConfig(level=logging.INFO, format="sacreBLEU: %(message)s")
    return utils


@contextmanager
def _trouble(name: str) -> Iterator[None]:
    """Turn any error inside sacreBLEU, which raises many kinds, into an `InputError`."""
    try:
        yield
    except (BrokenPipeError, InputError):
        raise
    except re.error as error:
        raise InputError(f"--subset is not a regular expression: {error}") from error
    except Exception as error:
        reason = " ".join(str(error).split()) or "no reason given"
        problem = f"sacreBLEU failed: {type(error).__name__}: {reason}"
        raise InputError(f"test set {name}: {problem}") from error
