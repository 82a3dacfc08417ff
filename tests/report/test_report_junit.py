"""The gates as JUnit."""

from xml.etree.ElementTree import fromstring

from harness.report.junit import junit


def states(report):
    suite = fromstring(junit(report))
    return suite, {case.get("name"): [child.tag for child in case] for case in suite.iter("testcase")}


def test_each_gate_is_a_test_case_with_its_state(samples):
    suite, found = states(samples.full_report())

    assert found == {
        "decision: inconclusive": ["skipped"],
        "canaries": [],
        "routing": ["failure"],
        "judge_agreement": ["skipped"],
    }
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "1", "2")


def test_an_improvement_passes(samples):
    _, found = states(samples.opened_report())

    assert found["decision: improvement"] == ["system-out"]


def test_an_invalid_run_fails_and_gives_the_reason(samples):
    suite, found = states(samples.invalid_report())

    assert found == {"decision: invalid": ["failure"], "canaries": ["failure"]}
    assert suite.find("testcase[@name='canaries']/failure").get("message") == "canary k-001 survived"


def test_the_estimate_stands_in_the_message_with_its_interval(samples):
    assert "+5.3 points, 95% interval [-0.2, +10.8] (Tango score), n = 247 of 250 cases" in junit(
        samples.full_report()
    )
