"""Every published BLEU of WMT22's systems comes out of one table by one call."""

import csv

import pytest
import wmt22
from hosts import host

from fastbleu import tables
from fastbleu.dialects.plain import SUM

TOKENIZERS = {"en-zh": "zh", "en-ja": "char", None: "13a"}


def test_published_scores(tmp_path):
    host("narwhals")
    pa, parquet = host("pyarrow"), host("pyarrow.parquet")
    if not wmt22.SYSTEMS:
        wmt22.missing()
    rows = {"pair": [], "system": [], "references": [], "mt": [], "refs": []}
    with open(wmt22.WMT22 / "published_bleu.tsv", encoding="utf-8") as file:
        published = list(csv.DictReader(file, delimiter="\t"))
    for its in published:
        files = wmt22.reference_files(its["pair"])
        names = list(files) if its["references"] == "all" else [its["references"]]
        names = [name for name in names if name in files]
        mt = wmt22.read_lines(wmt22.system_file(f"{its['pair']}.{its['system']}"))
        refs = zip(*(wmt22.read_lines(files[name]) for name in names), strict=True)
        rows["mt"] += mt
        rows["refs"] += [list(segment) for segment in refs]
        for name in ("pair", "system", "references"):
            rows[name] += [its[name]] * len(mt)
    path = tmp_path / "wmt22.parquet"
    parquet.write_table(pa.table(rows), path, row_group_size=5000)
    how = {"language": "pair", "tokenize": TOKENIZERS}
    found = tables.score(path, "mt", "refs", by=["pair", "system", "references"], **how).to_pylist()
    assert len(found) == len(published) > 40
    for mine, its in zip(found, published, strict=True):
        assert (mine["pair"], mine["system"]) == (its["pair"], its["system"])
        # From Python 3.12 on sum() adds floats more precisely, which may change the last bit.
        exactly = {"abs": 0, "rel": 1e-15 if SUM["sum"] == "compensated" else 0}
        assert mine["bleu"] == pytest.approx(float(its["bleu"]), **exactly), its
