"""A syntax may be used first by several threads."""

import sys
from threading import Barrier, Thread

from urlschemes.grammar.part import Part
from urlschemes.grammar.syntax import Syntax


def syntax(bnf: str, *parts: Part) -> Syntax:
    return Syntax(bnf, bnf.split(maxsplit=1)[0], parts)


def test_several_threads_may_be_the_first_to_use_a_syntax() -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(40):
            part = Part("p", ["p"])
            syn = syntax('u = "x:" p\np = *uchar', part)
            barrier = Barrier(4)
            written: list[str] = []

            def write(
                syn: Syntax = syn, part: Part = part, barrier: Barrier = barrier, to: list[str] = written
            ) -> None:
                barrier.wait()
                _ = syn.automaton
                to.append(part.written("%"))

            threads = [Thread(target=write) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert written == ["%25"] * 4
    finally:
        sys.setswitchinterval(interval)
