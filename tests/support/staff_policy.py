"""The policy of a table of staff: who they are, what is known of them, and a confidential salary."""

from collections.abc import Sequence

QUASI = ("sex", "age", "dept", "education")


def staff_policy(
    domain: tuple[int, int], restrict: str, *, quasi: Sequence[str] = QUASI, public: str = "dept_dim", more: str = ""
) -> str:
    """Return the text; `restrict` holds the limits, `public` is a table beside, `more` stands at the end."""
    columns = "".join(f"      {name}: quasi\n" for name in quasi)
    return f"""\
version: 1
tables:
  staff:
    key: id
    columns:
      id: identifier
      name: identifier
{columns}      salary: {{role: confidential, domain: [{domain[0]}, {domain[1]}], step: 1}}
    restrict: {{{restrict}}}
  {public}: public
{more}"""
