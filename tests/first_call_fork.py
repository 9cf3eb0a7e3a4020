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

PATIENCE = 30  # seconds after which a child hangs
TEXTS = ["The cat sat on the mat.", "A dog, a cat & a mat!"] * 300
IDS = array("q", range(5))
CALLS = {
    "score": lambda: fastbleu.BLEU(threads=2).score(TEXTS, TEXTS[::-1]),
    "sentence_scores": lambda: fastbleu.BLEU().sentence_scores(TEXTS, TEXTS[::-1]),
    "ids": lambda: fastbleu.BLEU(None, ignore_ids=[0]).score([IDS] * 9, [IDS] * 9),
    "dialect": lambda: fastbleu.BLEU(dialect="tensor2tensor").score(TEXTS, TEXTS[::-1]),
    "sentence_bleu": lambda: fastbleu.sentence_bleu([["a", "b"]], ["b", "a"]),
    "corpus_bleu": lambda: fastbleu.corpus_bleu([[["a"]]], [["b", "a"]]),
    "sacrebleu": lambda: fastbleu.sacrebleu.corpus_bleu(TEXTS, [TEXTS[::-1]]),
    "explain": lambda: fastbleu.explain(TEXTS, TEXTS[::-1], "sacrebleu", "nltk"),
    "identify": lambda: fastbleu.identify(20.0, TEXTS[:2], TEXTS[:2]),
    "pairwise": lambda: fastbleu.matrix.pairwise(TEXTS[:3], TEXTS[:3]),
    "warning": lambda: fastbleu.BLEU().score(["我喜欢吃苹果。"] * 20, ["我不喜欢吃苹果。"] * 20),
}


def main(name: str, delay: float) -> int:
    call = CALLS[name]
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    thread = threading.Thread(target=call)
    thread.start()
    time.sleep(delay)
    child = os.fork()
    if not child:
        signal.alarm(PATIENCE)
        status = 1
        try:
            call()
            status = 0
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    thread.join()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], float(sys.argv[2])))
