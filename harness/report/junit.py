"""The gates as JUnit XML, for CI systems that show tests."""

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from harness.domain.report import GateBlock, Report
from harness.report.estimates import lead
from harness.report.inert import inert, name
from harness.report.rows import sentence

_FAILED = frozenset({"regression", "invalid"})


def junit(report: Report) -> str:
    """Return one test case for the decision and one a gate.

    A gate that failed is a failure, one that was not audited is skipped. So is
    an inconclusive decision: it could not be told, which is no failure of the
    candidate; ``regression`` and ``invalid`` are failures.
    """
    suite = Element("testsuite", name=name(report.run.name))
    _decision(suite, report)
    for gate in report.decision.gates:
        _gate(suite, gate)
    for outcome, tag in (("failures", "failure"), ("skipped", "skipped")):
        suite.set(outcome, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("tests", str(len(suite)))
    suite.set("errors", "0")
    indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suite, encoding="unicode") + "\n"


def _decision(suite: Element, report: Report) -> None:
    decision = report.decision
    case = SubElement(suite, "testcase", classname="harness.decision", name=f"decision: {decision.verdict}")
    text = inert(f"{decision.sentence} difference {sentence(lead(report).row)}")
    if decision.verdict in _FAILED:
        SubElement(case, "failure", type=decision.verdict, message=text)
    elif decision.verdict == "inconclusive":
        SubElement(case, "skipped", message=text)
    else:
        SubElement(case, "system-out").text = text


def _gate(suite: Element, gate: GateBlock) -> None:
    case = SubElement(suite, "testcase", classname="harness.gate", name=name(gate.name))
    reason = inert(gate.reason) or gate.status
    if gate.status == "fail":
        SubElement(case, "failure", type="gate", message=reason)
    elif gate.status == "not_audited":
        SubElement(case, "skipped", message=reason)
