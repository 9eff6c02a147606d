# SPDX-License-Identifier: MIT
"""Commands that read recordings, and runs of them within limits of processor time and memory."""

import os
import resource
import subprocess
import tempfile
import threading

# FILE and OTHER are recordings, OUT is a new file.
COMMANDS = [words.split() for words in (
    "replay info FILE --json", "replay verify FILE", "replay cat FILE", "replay hash --tick 50 FILE", "replay state --tick 50 FILE",
    "replay cut --until 100 -o OUT FILE", "replay cut --from 50 -o OUT FILE", "replay diff FILE OTHER", "replay log FILE OTHER",
    "replay export FILE", "replay export --json FILE", "run FILE", "run --times 2 FILE", "play duel --headless --ticks 20 --watch FILE",
    "doctor duel FILE", "doctor duel FILE OTHER")]


def fill_in(words, path, other, out):
    return [{"FILE": path, "OTHER": other, "OUT": out}.get(word, word) for word in words]


def run(test, words, processor_s, env=None, address_mib=None):
    """Exit status, stderr, seconds of processor time, MiB and bytes of stdout of `bks`; it is killed after that time. Memory that
    it asks for and does not touch is not among the MiB: of this it gets address_mib in all."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (processor_s, processor_s))
        if address_mib is not None:
            resource.setrlimit(resource.RLIMIT_AS, (address_mib << 20, address_mib << 20))

    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([test.bks_path, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE,
                                   env={**test.env, **(env or {})}, cwd=test.folder, preexec_fn=limit)
        said = []
        reader = threading.Thread(target=lambda: said.append(process.stderr.read()))
        reader.start()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        reader.join()
        printed = os.fstat(out.fileno()).st_size
    return process.returncode, said[0].decode(errors="replace"), used.ru_utime + used.ru_stime, used.ru_maxrss >> 10, printed
