"""Examples: small training loops, right on any number of processes."""

import importlib.util
import re
import shutil
from pathlib import Path

import pytest
from hosts import REQUIRED, host
from processes import TRAINS, python

torch = host("torch")

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SMALL = ["--training", "400", "--validation", "130", "--width", "24", "--epochs", "2"]
TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]


def run(*command):
    """The lines that a script prints; with one thread, because so small a model needs no more."""
    environment = {"KERAS_BACKEND": "torch", "OMP_NUM_THREADS": "1"}
    return python(*command, noisy=True, seconds=TRAINS, **environment).splitlines()


@pytest.mark.long
@pytest.mark.parametrize(
    ("trainer", "evaluator"), [([], TORCHRUN), (TORCHRUN, [])], ids=["to two", "to one"]
)
def test_the_same_weights_have_the_same_score_everywhere(trainer, evaluator, tmp_path):
    """Trained and scored by one process, then scored by two, and the other way round."""
    script, checkpoint = EXAMPLES / "train_seq2seq.py", tmp_path / "checkpoint.pt"
    *epochs, trained = run(*trainer, script, *SMALL, "--save", checkpoint)
    assert len(epochs) == 2
    for line in epochs:
        share, nltk_share = map(float, re.search(r"= (.+)%; .+ = (.+)%$", line).groups())
        assert 0 < share < 20  # of epochs as short as these
        assert nltk_share > 0
    assert re.fullmatch(r"validation BLEU [\d.e-]+, counts \[\d.*\]", trained)
    assert run(*evaluator, script, "--evaluate", checkpoint) == [trained]


@pytest.mark.long
def test_policy_gradient():
    options = ["--steps", "12", "--batch", "64", "--length", "128"]
    *steps, fastbleu, nltk = run(EXAMPLES / "rl_reward.py", *options)
    first, *_, last = (float(line.rpartition(" ")[2]) for line in steps)
    assert last > first
    assert fastbleu.startswith("reward of 64 x 128 ids: ")
    assert "extrapolated from 16 rows" in nltk
    options[1] = "1"
    *_, nltk = run(EXAMPLES / "rl_reward.py", *options, "--full")
    assert "extrapolated" not in nltk


FRAMEWORKS = {
    "lightning_module.py": "lightning",
    "ignite_loop.py": "ignite",
    "seq2seq_trainer.py": "transformers",
    "keras_fit.py": "keras",
}
SCRIPTS = {
    "lightning_module.py --epochs 2": 1,
    "ignite_loop.py --epochs 2": 100,
    "lightning_module.py --epochs 2 --devices 2": 1,
    "seq2seq_trainer.py": 100,
    "keras_fit.py --training 1000": 100,
}
LONG = [pytest.param(script, marks=pytest.mark.long) for script in list(SCRIPTS)[1:]]


@pytest.mark.parametrize("command", [*list(SCRIPTS)[:1], *LONG])
def test_each_script_learns_its_language(command, tmp_path, monkeypatch):
    """Each script runs alone in an empty folder.

    The language is easy: a low last BLEU means that the metric was given the wrong ids.
    """
    script = command.partition(" ")[0]
    if not (REQUIRED or importlib.util.find_spec(FRAMEWORKS[script])):
        pytest.skip(f"{FRAMEWORKS[script]} is not installed")
    monkeypatch.chdir(tmp_path)
    shutil.copy(EXAMPLES / script, tmp_path)
    *_, last = run("-W", "ignore", *command.split())
    assert float(last.rpartition(" ")[2]) > 0.4 * SCRIPTS[command]
