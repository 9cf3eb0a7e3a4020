"""Train a small translation model and score BLEU on validation ids after every epoch.

The two languages are made up: sentences of a small grammar, and translations with
another word order, agreement and endings. Run it on one process or on several:

    python examples/train_seq2seq.py --save checkpoint.pt
    torchrun --nproc-per-node 2 examples/train_seq2seq.py --save checkpoint.pt

Score the saved weights again on any number of processes; the digits are the same:

    torchrun --nproc-per-node 2 examples/train_seq2seq.py --evaluate checkpoint.pt
"""

import argparse
import os
import random
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence

import fastbleu

PAD, BOS, EOS = 0, 1, 2

# Words are pairs of syllables; the translation of a word is the reversed word. The lists are
# disjoint: their first numbers differ by 3, 7 or 11 from multiples of 20.
SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
WORDS = [first + second for first in SYLLABLES for second in SYLLABLES if first != second]
NOUNS, VERBS, ADJECTIVES, PREPOSITIONS = WORDS[::20], WORDS[7::40], WORDS[3::60], WORDS[11::400]


def make_noun_phrase(rng):
    """A noun phrase and its translation, whose adjectives follow the noun and agree with it."""
    number, noun = rng.choice(["the", "many"]), rng.choice(NOUNS)
    adjectives = rng.sample(ADJECTIVES, rng.choice([0, 0, 1, 2]))
    gender = "o" if noun[-1] in "ou" else "a"
    plural = ["-s"] if number == "many" else []
    target = [f"l{gender}", noun[::-1], *plural]
    for adjective in reversed(adjectives):
        target += [adjective[::-1], f"-{gender}", *plural]
    return [number, *adjectives, noun], target


def make_clause(rng):
    """A clause and its translation: the place first, the verb last, the negation after it."""
    subject, thing, verb = make_noun_phrase(rng), make_noun_phrase(rng), rng.choice(VERBS)
    source, target = [verb, *thing[0]], [*subject[1], *thing[1], verb[::-1]]
    if rng.random() < 0.3:
        source, target = ["never", *source], [*target, "on"]
    if rng.random() < 0.4:
        place, preposition = make_noun_phrase(rng), rng.choice(PREPOSITIONS)
        source += [preposition, *place[0]]
        target = [*place[1], preposition[::-1], *target]
    return [*subject[0], *source], target


def make_sentence(rng):
    """A sentence and its translation, as lists of words."""
    source, target = make_clause(rng)
    if rng.random() < 0.4:
        second = make_clause(rng)
        source, target = [*source, "and", *second[0]], [*target, "te", *second[1]]
    return source, target


def pad(sentences, vocabulary):
    """Ids, each sentence ended with EOS and padded with PAD: shape (sentences, length)."""
    ids = [torch.tensor([vocabulary[word] for word in words] + [EOS]) for words in sentences]
    return pad_sequence(ids, batch_first=True, padding_value=PAD)


def make_data(seed, training, validation, batch_size):
    """Batches to train on, batches to validate with, and the sizes of the two vocabularies.

    A batch is the ids of some sentences and of their translations.
    """
    rng = random.Random(seed)
    pairs = [make_sentence(rng) for _ in range(training + validation)]
    vocabularies = []
    for side in zip(*pairs, strict=True):
        words = sorted({word for sentence in side for word in sentence})
        vocabularies.append({word: number for number, word in enumerate(words, EOS + 1)})

    def batches(pairs):
        for first in range(0, len(pairs), batch_size):
            sides = zip(*pairs[first : first + batch_size], strict=True)
            yield tuple(map(pad, sides, vocabularies))

    sizes = [len(vocabulary) + EOS + 1 for vocabulary in vocabularies]
    return list(batches(pairs[:training])), list(batches(pairs[training:])), sizes


class Translator(nn.Module):
    """A GRU encoder and decoder with attention."""

    def __init__(self, source_words, target_words, width):
        super().__init__()
        self.source_words = nn.Embedding(source_words, width, padding_idx=PAD)
        self.target_words = nn.Embedding(target_words, width, padding_idx=PAD)
        self.encoder = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * width, width)
        self.decoder = nn.GRU(width, width, batch_first=True)
        self.query = nn.Linear(width, 2 * width, bias=False)
        self.output = nn.Sequential(
            nn.Linear(3 * width, width), nn.Tanh(), nn.Linear(width, target_words)
        )

    def encode(self, source):
        states, last = self.encoder(self.source_words(source))
        return states, source == PAD, self.bridge(last.transpose(0, 1).flatten(1)).tanh()[None]

    def decode(self, words, hidden, states, padding):
        """Logits for the word after each of `words`, and the decoder's last state."""
        queries, hidden = self.decoder(self.target_words(words), hidden)
        weights = self.query(queries) @ states.transpose(1, 2)
        weights = weights.masked_fill(padding[:, None], -torch.inf).softmax(-1)
        return self.output(torch.cat((queries, weights @ states), -1)), hidden

    def forward(self, source, target):
        """The loss of predicting each word of `target` from those before it."""
        states, padding, hidden = self.encode(source)
        before = torch.cat((target.new_full((len(target), 1), BOS), target[:, :-1]), 1)
        logits, _ = self.decode(before, hidden, states, padding)
        return cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=PAD)

    @torch.no_grad()
    def translate(self, source, longest=64):
        """Greedy decoding: ids, shape (batch, at most longest)."""
        states, padding, hidden = self.encode(source)
        words = source.new_full((len(source), 1), BOS)
        sentence, ended = [], torch.zeros(len(source), dtype=torch.bool)
        while len(sentence) < longest and not ended.all():
            logits, hidden = self.decode(words, hidden, states, padding)
            words = logits.argmax(-1)
            sentence.append(words)
            ended |= words[:, 0] == EOS  # what follows is not scored: the metric's stop_ids
        return torch.cat(sentence, 1)


class Stopwatch:
    """Seconds spent inside `with stopwatch:`."""

    seconds = 0.0

    def __enter__(self):
        self.start = time.perf_counter()

    def __exit__(self, *exception):
        self.seconds += time.perf_counter() - self.start


def mine(entries):
    """This process's share of a list or tensor: every n-th entry for n processes."""
    if not dist.is_initialized():
        return entries
    return entries[dist.get_rank() :: dist.get_world_size()]


def new_metric():
    return fastbleu.BLEU(tokenize=False, ignore_ids=(PAD,), skip_ids=(BOS,), stop_ids=EOS)


def evaluate(model, validation, stopwatch):
    """The metric of the whole validation corpus, and the ids that this process has decoded.

    The batches are cut before they are distributed and each process has one thread, so that the
    arithmetic of a sentence is the same, to the last bit, on any number of processes.
    """
    model.eval()
    metric, decoded = new_metric(), []
    for source, target in mine(validation):
        hypotheses = model.translate(source)
        with stopwatch:
            metric.update(hypotheses, target)
        decoded.append((hypotheses, target))
    if dist.is_initialized():
        dist.barrier()  # waiting for the slowest process is not a cost of the metric
    with stopwatch:
        metric = metric.all_reduce()
    return metric, decoded


def seconds_of_nltk(decoded):
    """Seconds that nltk's corpus_bleu takes for the same ids, already made into lists."""
    from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu

    def words(row):
        row = row.tolist()
        return row[: row.index(EOS)] if EOS in row else row

    hypotheses = [words(row) for batch, _ in decoded for row in batch]
    references = [[words(row)] for _, batch in decoded for row in batch]
    smoothing = SmoothingFunction().method3  # without it, nltk warns while no 4-gram matches
    start = time.perf_counter()
    corpus_bleu(references, hypotheses, smoothing_function=smoothing)
    return time.perf_counter() - start


def train_epoch(model, batches, optimizer):
    """One step for each batch, of which every process takes a part; the mean loss."""
    model.train()
    total = 0.0
    for source, target in batches:
        optimizer.zero_grad()
        loss = model(mine(source), mine(target))
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item()
    return total / len(batches)


def train(arguments, say):
    """Train, and after every epoch translate the validation sentences and score them."""
    names = ("seed", "training", "validation", "batch_size")
    data = {name: getattr(arguments, name) for name in names}
    training, validation, words = make_data(**data)
    torch.manual_seed(arguments.seed)
    model = translator = Translator(*words, arguments.width)
    if dist.is_initialized():
        model = nn.parallel.DistributedDataParallel(translator)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    # Drop a short last batch, which might leave a process without data.
    del training[arguments.training // arguments.batch_size :]
    for epoch in range(1, arguments.epochs + 1):
        start, stopwatch = time.perf_counter(), Stopwatch()
        order = random.Random(f"{arguments.seed} {epoch}").sample(training, len(training))
        loss = train_epoch(model, order, optimizer)
        metric, decoded = evaluate(translator, validation, stopwatch)
        with stopwatch:
            bleu = metric.compute()
        seconds = time.perf_counter() - start
        report = f"epoch {epoch}: loss {loss:.3f}  BLEU {bleu:.2f}  {seconds:.1f} s, of which "
        report += f"fastbleu {stopwatch.seconds * 1e3:.1f} ms = {stopwatch.seconds / seconds:.3%}"
        if not arguments.no_nltk:
            # Relative to the epoch with nltk instead of fastbleu.
            slow = seconds_of_nltk(decoded)
            share = slow / (seconds - stopwatch.seconds + slow)
            report += f"; nltk would take {slow * 1e3:.0f} ms = {share:.1%}"
        say(report)
    if arguments.save and (not dist.is_initialized() or dist.get_rank() == 0):
        checkpoint = {"data": data, "width": arguments.width, "model": translator.state_dict()}
        torch.save(checkpoint, arguments.save)
    return metric


def evaluate_checkpoint(path):
    """The validation metric of saved weights."""
    checkpoint = torch.load(path, weights_only=True)
    _, validation, words = make_data(**checkpoint["data"])
    model = Translator(*words, checkpoint["width"])
    model.load_state_dict(checkpoint["model"])
    return evaluate(model, validation, Stopwatch())[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1, help="of the sentences and the weights")
    parser.add_argument("--training", type=int, default=5000, help="sentences to train on")
    parser.add_argument("--validation", type=int, default=2000, help="sentences to score")
    parser.add_argument(
        "--batch-size", type=int, default=50, help="sentences of all processes together"
    )
    parser.add_argument("--width", type=int, default=96, help="of the model")
    parser.add_argument("--no-nltk", action="store_true", help="do not time nltk as well")
    parser.add_argument("--save", metavar="FILE", help="where to save the weights in the end")
    parser.add_argument("--evaluate", metavar="FILE", help="only score the weights saved there")
    arguments = parser.parse_args()

    torch.set_num_threads(1)  # as torchrun does
    if "RANK" in os.environ:  # started by torchrun
        dist.init_process_group("gloo")

    def say(line):
        if not dist.is_initialized() or dist.get_rank() == 0:
            print(line, flush=True)

    if arguments.evaluate:
        metric = evaluate_checkpoint(arguments.evaluate)
    else:
        metric = train(arguments, say)
    say(f"validation BLEU {metric.compute().value!r}, counts {metric.state.tolist()}")
    if dist.is_initialized():
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
