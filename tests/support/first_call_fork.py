"""A fork while another thread is in its first call: ``python -m first_call_fork NAME SECONDS``.

The child, forked `SECONDS` after the thread began, makes the same call. Exits with 0 if
that call ends well.
"""

import os
import signal
import sys
import threading
import time
from array import array

import fastbleu

WAIT = 30  # seconds after which a process hangs
TEXTS = ["The cat sat on the mat.", "A dog, a cat & a mat!"] * 300
IDS = array("q", range(5))
CALLS = {
    "score": lambda: fastbleu.BLEU(threads=2).score(TEXTS, TEXTS[::-1]),
    "sentence_scores": lambda: fastbleu.BLEU().sentence_scores(TEXTS, TEXTS[::-1]),
    "ids": lambda: fastbleu.BLEU(tokenize=False, ignore_ids=[0]).score([IDS] * 9, [IDS] * 9),
    "dialect": lambda: fastbleu.BLEU("tensor2tensor").score(TEXTS, TEXTS[::-1]),
    "sentence_bleu": lambda: fastbleu.sentence_bleu([["a", "b"]], ["b", "a"]),
    "corpus_bleu": lambda: fastbleu.corpus_bleu([[["a"]]], [["b", "a"]]),
    "sacrebleu": lambda: fastbleu.sacrebleu.corpus_bleu(TEXTS, [TEXTS[::-1]]),
    "explain": lambda: fastbleu.explain(TEXTS, TEXTS[::-1], "sacrebleu", "nltk"),
    "identify": lambda: fastbleu.identify(TEXTS[:2], TEXTS[:2], 20.0),
    "pairwise": lambda: fastbleu.matrix.pairwise(TEXTS[:3], TEXTS[:3]),
    "warning": lambda: fastbleu.BLEU().score(["我喜欢吃苹果。"] * 20, ["我不喜欢吃苹果。"] * 20),
}


def forked(call) -> int:
    """How a forked process ends that makes a call: 0 if what it returns is true."""
    child = os.fork()
    if not child:
        signal.alarm(WAIT)
        status = 1
        try:
            status = 0 if call() else 1
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(name: str, delay: str) -> int:
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    thread = threading.Thread(target=CALLS[name])
    thread.start()
    time.sleep(float(delay))
    status = forked(lambda: CALLS[name]() is not None)
    thread.join()
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
