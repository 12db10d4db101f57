"""The table of kinds in docs/findings.md, from the code: ``python -m tests.docs.findings_table`` prints it."""

from __future__ import annotations

from records.findings import KINDS


def kinds_table() -> str:
    """Every kind of slip, the rule that it breaks, and how often it is taken to happen."""
    lines = ["| kind | what happened | the rule | of 1,000 turns |", "|---|---|---|--:|"]
    for id, kind in KINDS.items():
        rule = f"`{kind.rule}`" if kind.rule else "none"
        lines.append(f"| `{id}` | {kind.title} | {rule} | {1000 * kind.rate:g} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(kinds_table(), end="")
