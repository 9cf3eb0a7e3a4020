"""The commands `sacrebleu` and `fastbleu`: each in a process forked after the imports.

These take longer than most of their work. A line of standard input is a list in JSON: the command,
the files for standard input, output and error, the arguments, the environment, and the working
directory. The status is printed when it has ended.
"""

import gc
import json
import os
import runpy
import signal
import sys

import sacrebleu.sacrebleu

import fastbleu.cli.command
import fastbleu.significance

sacrebleu.corpus_bleu(["a b c d"], [["a b c d"]])
fastbleu.BLEU().score(["a b c d"], ["a b c d"])
gc.freeze()

for line in sys.stdin:
    command, files, arguments, environment, place = json.loads(line)
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    signal.alarm(300)  # ends it if it hangs
    for number, flags in enumerate((os.O_RDONLY, os.O_WRONLY, os.O_WRONLY)):
        os.dup2(os.open(files[number], flags), number)
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(number, mode, closefd=False) for number, mode in enumerate("rww")
    )
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(place)
    sys.argv[1:] = arguments
    runpy.run_module(command, run_name="__main__", alter_sys=True)
    sys.exit()
