"""The command `sacrebleu`, again and again: each in a process forked after the imports.

These take longer than most of its work. A line of standard input is a list in JSON: the files for
standard input, output and error, the arguments, the environment, and the working directory. The
status is printed when it has ended.
"""

import json
import os
import runpy
import signal
import sys

import sacrebleu.sacrebleu  # noqa: F401 - with what it imports

for line in sys.stdin:
    files, arguments, environment, place = json.loads(line)
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
    runpy.run_module("sacrebleu", run_name="__main__", alter_sys=True)
    sys.exit()
