"""Ray: the scores of one process, however rows are split into blocks, and if a worker is killed."""

import warnings

import pytest
from generators import raises
from hosts import host
from table_families import as_dict, columns, killer_of

from fastbleu import BLEU, tables

pa = host("pyarrow")
pq = host("pyarrow.parquet")
ray = host("ray")
data = host("ray.data")
on_ray = host("fastbleu.integrations.ray")
sums = host("fastbleu.tables.sums")

pytestmark = pytest.mark.filterwarnings("default")
ROWS = 400
BY = ["system", "lang"]
ITS = columns(ROWS)
RUNS = [0, *(pytest.param(run, marks=pytest.mark.long) for run in range(1, 5))]


@pytest.fixture(scope="module", autouse=True)
def session():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
        data.DataContext.get_current().enable_progress_bars = False
        yield
        ray.shutdown()


def rows_of(dataset):
    return sorted((list(row.values()) for row in dataset.take_all()), key=lambda row: str(row[:2]))


def wanted(references, by=BY, metric=None):
    table = tables.score(pa.table(ITS), "mt", references, by=by, metric=metric)
    rows = zip(*as_dict(table).values(), strict=True)
    return sorted(map(list, rows), key=lambda row: str(row[:2]))


@pytest.mark.parametrize("blocks", [1, 30])
def test_any_blocks(blocks):
    dataset = data.from_arrow(pa.table(ITS)).repartition(blocks)
    found = on_ray.score(dataset, "mt", ["ref", "other"], by=BY)
    assert rows_of(found) == wanted(["ref", "other"])


def test_more_sums_than_wait(monkeypatch):
    monkeypatch.setattr(sums, "WAITING_ROWS", 4)
    dataset = data.from_arrow(pa.table(ITS)).repartition(7)
    assert rows_of(on_ray.score(dataset, "mt", ["ref"], by=BY)) == wanted(["ref"])


def test_a_block_of_null_keys():
    nulls = pa.table(
        {name: ITS[name] for name in ("system", "mt", "ref")} | {"lang": [None] * ROWS}
    )
    rows = [[*row[:1], None, *row[1:]] for row in wanted(["ref"], ["system"])]
    both = on_ray.score(data.from_arrow([pa.table(ITS), nulls]), "mt", ["ref"], by=BY)
    assert len(rows_of(both)) == len(wanted(["ref"]))
    assert rows_of(on_ray.score(data.from_arrow(nulls), "mt", ["ref"], by=BY)) == rows


def test_empty_blocks_and_no_keys():
    dataset = data.from_arrow([pa.table(ITS), pa.table(ITS).slice(0, 0)])
    assert rows_of(on_ray.score(dataset, "mt", "ref")) == wanted("ref", ())
    nothing = data.from_arrow(pa.table(ITS).slice(0, 0))
    with pytest.raises(ValueError, match="there are no segments to score"):
        on_ray.score(nothing, "mt", "ref", by="system")


@pytest.mark.parametrize("run", RUNS)
def test_a_killed_worker(tmp_path, run):
    flag = tmp_path / "killed"
    dataset = data.from_arrow(pa.table(ITS)).repartition(3)
    metric = BLEU(tokenize=killer_of(str(flag)))
    rows = rows_of(on_ray.score(dataset, "mt", ["ref"], by=BY, metric=metric))
    assert flag.exists()
    plain = wanted(["ref"], metric=BLEU(tokenize=str.split))
    # The signature names a function.
    assert [row[:-1] for row in rows] == [row[:-1] for row in plain]


def test_a_dataset_is_not_read():
    def fail(batch):
        raise AssertionError("it was read")

    dataset = data.from_arrow(pa.table(ITS)).map_batches(fail)
    message = r"the table is a ray\.data\..*fastbleu\.integrations\.ray\.score"
    for call in (tables.score, tables.sentence_scores, tables.statistics):
        raises(TypeError, message, call, dataset, "mt", "ref")


def test_errors():
    dataset = data.from_arrow(pa.table(ITS))
    with pytest.raises(ValueError, match="has no column 'reff'; did you mean 'ref'"):
        on_ray.score(dataset, "mt", "reff")
    holes = data.from_arrow(pa.table(ITS | {"mt": [None, *ITS["mt"][1:]]}))
    raises(
        Exception, "row 0 of its block: column 'mt' has no value", on_ray.score, holes, "mt", "ref"
    )


def test_errors_name_the_file_of_a_row(tmp_path):
    for number, texts in enumerate([["a b"], ["a", None]]):
        its = pa.table({"mt": texts, "ref": ["a b"] * len(texts)})
        pq.write_table(its, tmp_path / f"{number}.parquet")
    dataset = data.read_parquet(str(tmp_path), include_paths=True)
    for call in (on_ray.score, on_ray.sums, on_ray.sentence_scores, on_ray.statistics):
        message = r"row \d of its block \(path '.*1\.parquet'\): column 'mt' has no value"
        raises(Exception, message, lambda call=call: call(dataset, "mt", "ref").take_all())
