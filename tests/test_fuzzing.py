"""Every parser of foreign bytes refuses with an error of ours; `tests/fuzzing.py` looks for longer."""

import random

from tests.fuzzing import faults


def test_mutated_bytes_are_refused_in_words_of_ours():
    found = list(faults(random.Random(1), lambda n_inputs: n_inputs >= 900))

    assert [(name, repr(error), content[:200]) for name, content, error in found] == []
