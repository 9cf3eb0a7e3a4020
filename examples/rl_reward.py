"""Sentence BLEU as the reward of policy-gradient steps: 256 samples of 1,024 ids each.

The policy translates sequences of 64 symbols. It starts with about half of the symbols right, as
after a short supervised training, and improves by the reward alone: the BLEU of its samples against
the true translation. One call scores the batch:

    rewards = metric.sentence_scores(sampled_ids, reference_ids)
"""

import argparse
import time

import torch

import fastbleu

SYMBOLS = 64


def seconds_of_nltk(sampled, references, rows):
    """Seconds that nltk's sentence_bleu takes for the first `rows` rows, given as lists."""
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    smoothing = SmoothingFunction().method3  # the nearest to sacreBLEU's "exp"
    pairs = list(zip(sampled[:rows].tolist(), references[:rows].tolist(), strict=True))
    start = time.perf_counter()
    for hypothesis, reference in pairs:
        sentence_bleu([reference], hypothesis, smoothing_function=smoothing)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--batch", type=int, default=256, help="samples in a step")
    parser.add_argument("--length", type=int, default=1024, help="ids in a sample")
    parser.add_argument("--threads", type=int, default=1, help="of fastbleu")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--full", action="store_true", help="time nltk on the whole batch")
    parser.add_argument("--no-nltk", action="store_true", help="do not time nltk")
    arguments = parser.parse_args()

    torch.manual_seed(arguments.seed)
    translation = torch.randperm(SYMBOLS)
    policy = torch.nn.Parameter(4.0 * torch.eye(SYMBOLS)[translation])  # logits of translations
    optimizer = torch.optim.Adam([policy], lr=0.05)
    metric = fastbleu.BLEU(tokenize=False, threads=arguments.threads)

    seconds_of_rewards = 0.0
    begin = time.perf_counter()
    for step in range(1, arguments.steps + 1):
        source = torch.randint(SYMBOLS, (arguments.batch, arguments.length))
        reference_ids = translation[source]
        log_probabilities = policy.log_softmax(-1)
        with torch.no_grad():
            choices = log_probabilities.exp()[source.flatten()]
            sampled_ids = torch.multinomial(choices, 1).view_as(source)

        start = time.perf_counter()
        rewards = metric.sentence_scores(sampled_ids, reference_ids)
        seconds_of_rewards += time.perf_counter() - start

        rewards = torch.from_numpy(rewards)
        advantages = (rewards - rewards.mean()) / (rewards.std() + 1e-6)
        sample_log_probabilities = log_probabilities[source, sampled_ids].sum(1)
        loss = -(advantages.float() * sample_log_probabilities).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step == 1 or step % 10 == 0 or step == arguments.steps:
            print(f"step {step}: mean reward {rewards.mean():.3f}", flush=True)
    seconds = time.perf_counter() - begin

    each = seconds_of_rewards / arguments.steps
    print(
        f"reward of {arguments.batch} x {arguments.length} ids: {each * 1e3:.2f} ms a step, "
        f"{seconds_of_rewards / seconds:.1%} of the training"
    )
    if not arguments.no_nltk:
        rows = arguments.batch if arguments.full else min(16, arguments.batch)
        slow = seconds_of_nltk(sampled_ids, reference_ids, rows) * arguments.batch / rows
        how = "" if arguments.full else f", extrapolated from {rows} rows (--full for all)"
        print(f"nltk in a loop: {slow * 1e3:.0f} ms a step, {slow / each:.0f} times as long{how}")


if __name__ == "__main__":
    main()
