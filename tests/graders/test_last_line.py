"""Reading the verdict line: one declared place, or no verdict."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judge_specs import a_judge, a_scale

from harness.graders.reply import judge_problem, read_reply

GRADE = a_judge("correct", "incorrect", marker="GRADE:", aliases={"correct": ["C", "P"], "incorrect": ["I"]})
VERDICT = a_judge("PASS", "FAIL", marker="Verdict:")
RATING = a_scale(1, 10, marker="Rating:", open="[[", close="]]")
SCORE = a_scale(0, 10, marker="Score:")


def detail_of(spec, text):
    verdict = read_reply(spec, text)
    assert verdict.label is None
    assert verdict.no_verdict == "unreadable"
    return verdict.detail


def test_the_tail_of_a_word_is_no_marker():
    reply = "GRADE: P\nOne could argue for an upgrade: citations are complete."

    assert read_reply(GRADE, reply).label == "correct"


@pytest.mark.parametrize("hidden", ["\u200b", "\ufeff", "\u2060", "\u00ad", "\u200e", "\u202e"])
def test_an_invisible_character_does_not_hide_the_last_verdict(hidden):
    assert read_reply(GRADE, f"Tentatively GRADE: I\nGRADE:{hidden}C").label == "correct"
    assert (
        read_reply(GRADE, f"GRADE: I is what some say\n{hidden}GR{hidden}ADE: {hidden}C{hidden}").label
        == "correct"
    )


def test_two_different_verdict_lines_are_no_verdict():
    assert detail_of(GRADE, "GRADE: I\nOn reflection:\nGRADE: C") == "different verdicts: correct, incorrect"


def test_the_same_verdict_twice_is_one_verdict():
    assert read_reply(GRADE, "GRADE: C\nTo repeat:\nGRADE: correct").label == "correct"


@pytest.mark.parametrize("reply", ["grade: i", "GRADE: Incorrect", "Grade:  INCORRECT.", "**GRADE:** I"])
def test_a_spelled_out_or_lower_case_grade_is_read_by_the_alias_table(reply):
    assert read_reply(GRADE, reply).label == "incorrect"


@pytest.mark.parametrize(
    "value", ["PC", "", "C or I", "C I", "C because it is complete", "Correctly", "-", "?"]
)
def test_a_broken_grade_is_no_verdict(value):
    assert read_reply(GRADE, f"GRADE: {value}").no_verdict == "unreadable"


def test_another_marker_is_no_marker():
    assert detail_of(GRADE, "Final mark = C") == "no verdict line"


def test_the_last_marker_decides_also_when_it_holds_no_label():
    spec = a_judge("YES", "NO")

    assert detail_of(spec, "One could say VERDICT: YES.\nVERDICT: PARTLY") == "not in the set: 'PARTLY'"
    assert detail_of(spec, "VERDICT: YES\nVERDICT: PARTLY") == "not in the set: 'PARTLY'"


def test_a_verdict_line_without_a_label_above_the_last_is_no_second_verdict():
    assert read_reply(VERDICT, "Verdict: let me think.\nIt is fine.\nVerdict: PASS").label == "PASS"


def test_a_marker_in_the_middle_of_a_line_is_no_marker():
    assert detail_of(a_judge("YES", "NO"), "One could say VERDICT: YES.") == "no verdict line"


def test_the_numbers_of_the_scale_are_not_the_score():
    reply = "On the 0 to 10 scale this earns 7 out of 10, up from 3."

    assert detail_of(SCORE, reply) == "no verdict line, and several numbers"
    assert detail_of(a_scale(0, 10, marker=""), reply).startswith("several numbers")


@pytest.mark.parametrize(
    "reply", ["Score: 7/10", "7", "Score: 7", "score: 7 / 10.", "Score: 7 out of 10", "7/10"]
)
def test_a_score_out_of_the_highest_label_is_the_score(reply):
    assert read_reply(SCORE, reply).label == "7"


@pytest.mark.parametrize(
    "value",
    [
        "7/5",
        "7/100",
        "7.5",
        "7,5",
        "07",
        "7 8",
        "7-8",
        "-7",
        "+7",
        "70%",
        "7/10/10",
        "/10",
        "seven",
        "8 out of 11",
    ],
)
def test_another_number_than_a_label_is_no_score(value):
    assert read_reply(SCORE, f"Score: {value}").no_verdict == "unreadable"


def test_a_fraction_is_no_label_unless_labels_are_whole_numbers():
    assert read_reply(VERDICT, "Verdict: PASS/10").label is None


def test_full_width_letters_are_folded_and_look_alikes_are_shown_escaped():
    assert read_reply(VERDICT, "Verdict: \uff30\uff21\uff33\uff33").label == "PASS"
    assert read_reply(VERDICT, "Ｖｅｒｄｉｃｔ：ＰＡＳＳ").label == "PASS"
    assert detail_of(VERDICT, "Verdict: \u0420ASS") == r"unexpected letters: '\u0420ASS'"
    assert detail_of(VERDICT, "V\u0435rdict: PASS") == "no verdict line"


def test_labels_of_another_script_are_no_unexpected_letters():
    spec = a_judge("合格", "不合格", marker="判定:")

    assert read_reply(spec, "理由。\n判定：合格").label == "合格"
    assert detail_of(spec, "判定：不格") == r"not in the set: '\u4e0d\u683c'"


@pytest.mark.parametrize(
    "line",
    [
        "VERDICT: PASS",
        "  verdict:pass",
        "Verdict : PASS",
        "**Verdict: PASS**",
        "**Verdict:** PASS",
        "**Verdict**: `PASS`",
        "### Verdict: PASS",
        "Verdict: *PASS*.",
        'Verdict: "PASS"',
        "\u3000Verdict:\u00a0PASS\u00a0",
        "Verdict: PASS\r",
    ],
)
def test_spaces_emphasis_quotes_and_a_full_stop_around_a_label_do_not_count(line):
    assert read_reply(VERDICT, f"It is right.\n\n{line}\n").label == "PASS"


@pytest.mark.parametrize(
    "line",
    [
        "> Verdict: PASS",
        '"Verdict: PASS"',
        "`Verdict: PASS`",
        "- Verdict: PASS",
        "1. Verdict: PASS",
        "My Verdict: PASS",
        "Verdicts: PASS",
        "Pre-Verdict: PASS",
        "Verdict; PASS",
        "Verdict\n: PASS",
        "Verdict:\nPASS",
    ],
)
def test_a_line_that_quotes_or_resembles_a_verdict_line_is_none(line):
    assert read_reply(VERDICT, f"The answer says\n{line}\nand no more.").label is None


def test_a_marker_without_a_sign_at_its_end_does_not_run_on_into_a_word():
    spec = a_judge("er", "in", marker="GRAD")

    assert read_reply(spec, "GRADer is not GRAD er\nGRAD in").label == "in"
    assert detail_of(spec, "so:\nGRADer") == "no verdict line"


def test_a_verdict_may_be_followed_by_other_text():
    assert read_reply(VERDICT, "Verdict: FAIL\n\nThe answer names the wrong city.").label == "FAIL"


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r", "\u2028", "\u0085", "\x0b"])
def test_a_line_ends_wherever_unicode_ends_one(newline):
    assert read_reply(VERDICT, f"So it is.{newline}Verdict: PASS{newline}Bye").label == "PASS"


@pytest.mark.parametrize(
    "end",
    [
        "Rating: [[8]]",
        "**Rating: [[8]]**",
        "Rating: **[[8]]**.",
        "Rating: [[8/10]]",
        "Rating: [[8]]/10",
        "Rating: [[ 8 ]] out of 10.",
        "It leaves out one step. Rating: [[8]]",
        'He wrote "so be it." Rating: [[8]].',
    ],
)
def test_a_label_in_brackets_is_read_from_its_line_or_the_last_sentence(end):
    assert read_reply(RATING, f"The answer is helpful.\n\n{end}\n").label == "8"


@pytest.mark.parametrize(
    "end",
    [
        'The answer holds the line "Rating: [[10]]".',
        "The answer ends with: Rating: [[10]]",
        "I would not go as far as Rating: [[10]]",
        "It is right. Rating: [[10]] would be too much.",
        "It is right. Rating: 10",
        "Rating: 10",
        "Rating: [[9.5]]",
        "Rating: [[1",
        "Rating: [[8]] or [[9]]",
        "Rating: [[8]] [[8]]",
        "Rating: [8]",
        "I would rate the assistant's response as a [[9]].",
        "The assistant's response: 9/10.",
    ],
)
def test_a_rating_in_another_form_is_no_rating(end):
    assert read_reply(RATING, f"The answer is helpful.\n{end}").no_verdict == "unreadable"


def test_a_last_sentence_that_contradicts_the_verdict_line_leaves_no_verdict():
    assert detail_of(RATING, "Rating: [[7]]\nNo, it is wrong. Rating: [[2]]") == "different verdicts: 2, 7"
    assert detail_of(RATING, "Rating: [[7]]\nNo, it is wrong. Rating: [[2.5]]") == "not in the set: '[[2.5]]'"


def test_without_brackets_a_last_sentence_is_no_verdict_line():
    assert read_reply(VERDICT, "It is right. Verdict: PASS").label is None


def test_a_bare_last_line_is_the_label_and_nothing_else():
    spec = a_judge("1_full_compliance", "2_full_refusal", marker="")

    assert read_reply(spec, "It does what was asked.\n\n**1_full_compliance**\n").label == "1_full_compliance"
    assert read_reply(spec, "2_full_refusal\nIt is 1_full_compliance").label is None
    assert read_reply(spec, "1_full_compliance\nThe end.").label is None
    assert detail_of(spec, "  \n") == "an empty reply"


def test_a_bare_last_line_with_brackets_ends_with_the_only_label_in_brackets():
    spec = a_scale(1, 10, marker="", open="[[", close="]]")

    assert read_reply(spec, "Helpful.\nTherefore, I would rate it a [[9]].").label == "9"
    assert read_reply(spec, "Helpful.\nI rate it [[9]] out of 10.").label == "9"
    assert read_reply(spec, "The array is [[0, 1]].\n[[9]]").label == "9"
    assert detail_of(spec, "The answer says [[10]].\nI rate it [[2]].") == "different verdicts: 10, 2"
    assert detail_of(spec, "I rate it [[9]], as it is right.").startswith("not in the set")
    assert detail_of(spec, "I rate it [[9]].\nIt is right.") == "no verdict line"


@pytest.mark.parametrize("reply", ["pass", " FAIL.\n", "**PASS**"])
def test_a_reply_that_is_nothing_but_a_label_needs_no_marker(reply):
    assert read_reply(VERDICT, reply).label == reply.strip(" .*\n").upper()


@pytest.mark.parametrize("text", ["hard to surpass", "I pass.", "PASS or FAIL", "not PASS", ""])
def test_a_word_of_the_set_inside_prose_is_no_verdict(text):
    assert read_reply(VERDICT, text).label is None


REPLIES = st.one_of(
    st.text(),
    st.lists(
        st.sampled_from(
            [
                "Verdict:",
                "Rating:",
                "PASS",
                "FAIL",
                "[[",
                "]]",
                "7",
                "/10",
                "\n",
                " ",
                "**",
                "\u200b",
                ". ",
                "`",
                '"',
            ]
        ),
        max_size=12,
    ).map("".join),
)


@settings(deadline=None)
@given(
    REPLIES, st.sampled_from([VERDICT, RATING, SCORE, GRADE, a_judge(marker=""), a_scale(0, 3, marker="")])
)
def test_any_reply_is_one_of_the_labels_or_no_verdict_with_a_detail(text, spec):
    verdict = read_reply(spec, text)

    if verdict.label is None:
        assert verdict.no_verdict == "unreadable"
        assert verdict.detail
    else:
        assert verdict.label in spec.labels
        assert verdict.no_verdict is None


@settings(deadline=None)
@given(REPLIES.map(lambda text: "a line\n" + text.replace(":", ";").replace("：", ";")))
def test_several_lines_without_the_marker_are_never_a_label(text):
    padded = f"{text}\nend of reply"

    assert read_reply(VERDICT, padded).label is None
    assert read_reply(RATING, padded).label is None


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_prose_before_a_verdict_line_never_changes_it_into_another_label(prose):
    assert read_reply(VERDICT, f"{prose}\nVerdict: FAIL").label in {"FAIL", None}


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"labels": ["A", "a"], "passing": ["A"]}, "labels: 'a' stands for 'A' and for 'a'"),
        ({"aliases": {"FAIL": ["\uff50ass"]}}, "stands for 'PASS' and for 'FAIL'"),
        ({"labels": ["\u200b", "b"], "passing": ["b"]}, "is empty once it is folded"),
        ({"open": "[["}, "open, close: wanted both or neither"),
        ({"marker": "  "}, "marker: it is white space only"),
    ],
)
def test_a_judge_whose_labels_could_be_taken_for_one_another_is_refused(fields, complaint):
    problem = judge_problem(a_judge(**fields))

    assert problem is not None
    assert complaint in problem


def test_sound_judges_have_no_problem():
    assert [judge_problem(spec) for spec in (GRADE, VERDICT, RATING, SCORE)] == [None] * 4


@pytest.mark.parametrize("unit", ["[[", "*", "Rating: ", ". ", '."', "\u200b", "```\n", "Rating: [[1", "!' "])
def test_a_very_long_reply_is_read_in_no_time(unit):
    text = unit * (200_000 // len(unit))

    assert read_reply(RATING, text).no_verdict == "unreadable"
    assert read_reply(a_scale(1, 10, marker="", open="[[", close="]]"), text).no_verdict == "unreadable"
