"""The libraries whose tables are tested, and rows to put into them."""

import json
import os
import random
import signal
import warnings

from generators import SEED, words
from hosts import host
from packing import PACKERS

FAMILIES = ["dict", "pandas", "polars", "pyarrow"]
SUFFIXES = ["parquet", "pq", "arrow", "feather", "ipc", "arrows", "csv", "tsv", "jsonl", "ndjson"]
SUFFIXES += ["csv.gz", "csv.zst", "tsv.gz", "tsv.zst", "jsonl.gz", "jsonl.zst", "csv.bz2"]
SUFFIXES += ["csv.xz", "tsv.zip", "jsonl.lzma", "csv.tar.gz"]
_WORDS = words("the cat sat on a mat & a dog, who ran off; the sea. 猫が いる。")


def texts(count, seed=0):
    """Random sentences of which some are equal, and some empty."""
    generator = random.Random(SEED + seed)
    return [
        " ".join(generator.choices(_WORDS, k=generator.choice([0, 1, 3, 5, 8, 12])))
        for _ in range(count)
    ]


def columns(count=200, seed=0):
    """A dict of columns: two keys, of which one has nulls, hypotheses, two references."""
    generator = random.Random(SEED + seed)
    mt = texts(count, seed)
    return {
        "system": [generator.choice("abc") for _ in range(count)],
        "lang": [generator.choice(["de", None, "zh"]) for _ in range(count)],
        "mt": mt,
        "ref": [
            generator.choice([text, other])
            for text, other in zip(mt, texts(count, seed + 1), strict=True)
        ],
        "other": texts(count, seed + 2),
    }


def table_of(family, its):
    """A table of a library; the test is skipped where the library is not installed."""
    host("narwhals")
    if family == "dict":
        host("pyarrow")
        return dict(its)
    module = host(family)
    return module.table(its) if family == "pyarrow" else module.DataFrame(its)


def write(part, path):
    """Columns as a file of the format of its path; in CSV None is an empty cell, "" two marks."""
    pyarrow, name = host("pyarrow"), path.name
    table = pyarrow.table(part)
    if name.endswith((".parquet", ".pq")):
        host("pyarrow.parquet").write_table(table, path)
    elif ".csv" in name or ".tsv" in name:
        csv = host("pyarrow.csv")
        options = csv.WriteOptions(delimiter="," if ".csv" in name else "\t")
        file = pyarrow.BufferOutputStream()
        csv.write_csv(table, file, options)
        path.write_bytes(_packed(path, file.getvalue().to_pybytes()))
    elif "json" in path.suffixes[0]:
        text = "".join([f"{json.dumps(row)}\n" for row in table.to_pylist()])
        path.write_bytes(_packed(path, text.encode()))
    else:
        kind = pyarrow.ipc.new_stream if name.endswith(".arrows") else pyarrow.ipc.new_file
        with kind(path, table.schema) as stream:
            stream.write_table(table)
    return path


def _packed(path, data):
    """The data compressed as the end of the name says."""
    pack = PACKERS.get("".join(path.suffixes[1:]))
    return data if pack is None else pack(data)


def as_dict(table):
    """A table's columns as lists, with None for null."""
    if isinstance(table, dict):
        return table
    if hasattr(table, "to_pydict"):
        return table.to_pydict()
    if hasattr(table, "to_dicts"):
        return table.to_dict(as_series=False)
    plain = {}
    for name in table.columns:
        plain[name] = table[name].astype(object).where(table[name].notna(), None).tolist()
    return plain


def groups_of(its, by):
    """The rows of each group by its key, in the order of first rows."""
    found = {}
    for row in range(len(its["mt"])):
        found.setdefault(tuple(its[name][row] for name in by), []).append(row)
    return found


def expected(metric_of, its, by, references):
    """A row for each group: what metrics say of the group's texts by themselves."""
    rows = []
    for key, numbers in groups_of(its, by).items():
        hypotheses = [its["mt"][row] for row in numbers]
        its_references = [[its[name][row] for name in references] for row in numbers]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            score = metric_of(key).score(hypotheses, its_references)
        rows.append((*key, len(numbers), score))
    return rows


def check(found, wanted, by):
    """The result's rows are the expected ones, in their order, bit for bit."""
    its = as_dict(found)
    assert len(its["bleu"]) == len(wanted)
    for row, (*key, segments, score) in enumerate(wanted):
        assert [its[name][row] for name in by] == key
        assert its["segments"][row] == segments
        assert its["bleu"][row] == score.value
        precisions = [its[f"precision_{n}"][row] for n in range(1, len(score.precisions) + 1)]
        assert precisions == list(score.precisions)
        assert its["bp"][row] == score.bp
        assert (its["hyp_len"][row], its["ref_len"][row]) == (score.hyp_len, score.ref_len)
        assert its["signature"][row] == score.signature


def killer_of(flag):
    """A tokenizer that kills its process, a worker, at its 50th text, unless the flag is there."""
    seen = []

    def split(text):
        seen.append(text)
        if len(seen) == 50 and not os.path.exists(flag):
            open(flag, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return text.split()

    return split
