"""`BLEUReward` in TRL's GRPOTrainer, with a model and a tokenizer made here."""

import numpy as np
import pytest
from hosts import host

torch = host("torch")
trl = host("trl")
transformers = host("transformers")
datasets = host("datasets")

from texts import word_tokenizer  # noqa: E402

from fastbleu import BLEU  # noqa: E402
from fastbleu.integrations.rewards import BLEUReward  # noqa: E402

# transformers warns about what TRL calls.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")

WORDS = ["<pad>", "<eos>", "the", "cat", "sat", "on", "a", "mat", "down"]
ANSWERS = ["sat on the mat", "sat down"]


@pytest.fixture
def tokenizer():
    return word_tokenizer(WORDS, "<pad>", pad_token="<pad>", eos_token="<eos>")


@pytest.fixture
def model():
    torch.manual_seed(1)
    size = {"n_positions": 64, "n_embd": 16, "n_layer": 1, "n_head": 2}
    ids = {"vocab_size": len(WORDS), "bos_token_id": 1, "eos_token_id": 1, "pad_token_id": 0}
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(**size, **ids))


def test_training_with_a_row_without_a_reference(model, tokenizer, tmp_path):
    calls = []

    class Recorded(BLEUReward):
        def __call__(self, completions, **columns):
            rewards = super().__call__(completions=completions, **columns)
            calls.append((completions, columns["answer"], rewards))
            return rewards

    small = {"per_device_train_batch_size": 4, "num_generations": 2, "max_completion_length": 8}
    small |= {"max_steps": 2, "logging_steps": 1, "save_strategy": "no", "report_to": []}
    options = trl.GRPOConfig(str(tmp_path), use_cpu=True, bf16=False, disable_tqdm=True, **small)
    rows = [{"prompt": "the cat", "answer": answer} for answer in [*ANSWERS, None, ANSWERS[0]]]
    trainer = trl.GRPOTrainer(
        model,
        Recorded("answer", missing="skip"),
        args=options,
        train_dataset=datasets.Dataset.from_list(rows),
        processing_class=tokenizer,
    )
    trainer.train()
    assert len(calls) == 2
    logged = [entry["rewards/bleu/mean"] for entry in trainer.state.log_history[:2]]
    for (completions, answers, rewards), mean in zip(calls, logged, strict=True):
        assert [reward is None for reward in rewards] == [answer is None for answer in answers]
        samples = zip(completions, answers, rewards, strict=True)
        hypotheses, references, scored = zip(*[one for one in samples if one[1]], strict=True)
        scores = BLEU(effective_order=True).sentence_scores(hypotheses, references) / 100
        assert [*scored] == scores.clip(0, 1).tolist()
        assert mean == pytest.approx(sum(scored) / len(scored))
    assert any(reward for _, _, rewards in calls for reward in rewards)
    assert sum(rewards.count(None) for _, _, rewards in calls) == 2
    assert np.isfinite([entry["loss"] for entry in trainer.state.log_history[:2]]).all()
