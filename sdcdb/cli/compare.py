"""`sdcdb compare`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from sdcdb.cli.arguments import DatabaseArgument, ForceOption, PolicyOption, SeedOption
from sdcdb.terminal.output import JsonOption, Output, QuietOption, table

if TYPE_CHECKING:
    from sdcdb.assess.compare import Comparison
    from sdcdb.assess.patterns import Patterns
    from sdcdb.assess.verdict import Verdict

SHOWN = 8  # pairs of columns shown in the terminal; JSON and HTML show all


def compare(
    db: DatabaseArgument,
    view: Annotated[str, typer.Argument(metavar="VIEW", help="A protected view.")],
    confidential: Annotated[
        str | None, typer.Option("--confidential", "-c", help="The category an intruder wants to learn.")
    ] = None,
    html: Annotated[Path | None, typer.Option("--html", metavar="FILE", help="Write a page with plots.")] = None,
    force: ForceOption = False,
    policy: PolicyOption = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare a protected view with its table: what is still useful, and what an intruder can still learn."""
    import sdcdb
    from sdcdb.assess.compare import compare as measure

    out = Output(as_json, quiet)
    if html is not None:
        from sdcdb.connection.atomic_file import refuse_target

        refuse_target(html, replace=force)
    with sdcdb.open(db, policy, read_only=True) as database, out.working("comparing", database.con):
        found = measure(database, view, confidential, seed)
    out.result(data(found), lambda console: _draw(console, found))
    if html is not None:
        from sdcdb.pages.comparison_report import write_page

        write_page(found, html, replace=force)
        out.note(f"\nWrote {html}")


def data(found: "Comparison") -> dict[str, Any]:
    """Return everything that was measured as plain values."""
    return {
        "view": found.plan.view,
        "table": found.plan.table,
        "records": found.records,
        **found.verdict.data(),
        "release_gate": found.standing.data(),
        "numbers": {name: vars(change) for name, change in found.numbers.items()},
        "largest_correlation_change": found.correlations.largest if found.correlations else None,
        "correlations": {
            "columns": list(found.correlated),
            "before": found.correlations.before.tolist(),
            "after": found.correlations.after.tolist(),
        }
        if found.correlations
        else None,
        "categories": {
            name: {"share_changed": change.share_changed, "total_variation": change.total_variation}
            for name, change in found.categories.items()
        },
        "associations": [
            {
                "columns": [found.categorical[pair.first], found.categorical[pair.second]],
                "chi_square_before": pair.change.before.chi_square,
                "chi_square_after": pair.change.after.chi_square,
                "likelihood_ratio_before": pair.change.before.likelihood_ratio,
                "likelihood_ratio_after": pair.change.after.likelihood_ratio,
                "cramers_v_before": pair.change.before.cramers_v,
                "cramers_v_after": pair.change.after.cramers_v,
                "large_sample": pair.change.before.large_sample,
            }
            for pair in found.associations
        ],
        "cae": {
            name: [
                {
                    "known": list(each.known),
                    "h0_before": each.before.h0,
                    "h0_after": each.after.h0,
                    "least_h0_before": each.least_before,
                    "least_h0_after": each.least_after,
                    "area_before": each.before.area,
                    "area_after": each.after.area,
                }
                for each in measured
            ]
            for name, measured in found.uncertainties.items()
        },
        "information_loss": {name: vars(loss) for name, loss in found.losses.items()},
        "sweeps": {name: [vars(point) for point in points] for name, points in found.sweeps.items()},
        "confidential": found.confidential,
        "entropies": [
            {"known": each.known, "record": each.record, "confidential": each.confidential, "prior": str(each.prior)}
            for each in found.entropies
        ],
        "patterns": _patterns(found.patterns) if found.patterns else None,
    }


def _patterns(found: "Patterns") -> dict[str, Any]:
    return {
        "class": found.target,
        "leaves": [len(found.original.leaves()), len(found.perturbed.leaves())],
        "rules": [vars(rule) for rule in found.similarity.rules],
        "shares": dict(found.similarity.shares),
        "verdict": found.similarity.verdict,
        "accuracies": {name: vars(each) for name, each in found.accuracies.items()},
        "entropies": [{"known": each.known, "record": each.record, "class": each.class_} for each in found.entropies],
        "security": vars(found.security) if found.security else None,
    }


def _draw_patterns(console: Console, found: "Patterns") -> None:
    shares = ", ".join(f"type {kind} {share:.0%}" for kind, share in found.similarity.shares.items())
    console.print()
    console.print(
        f"Trees that predict {found.target}: {found.similarity.verdict} ({shares} of the records; "
        f"{len(found.original.leaves())} leaves before, {len(found.perturbed.leaves())} after)",
        markup=False,
    )
    rows = [(name, each.own, each.original, each.testing) for name, each in found.accuracies.items()]
    console.print()
    header = ("classifier, trained on", "own data", "original", "held out")
    console.print(table("Accuracy", header, rows))
    if found.entropies:
        rows_known = [(each.known, each.record, each.class_) for each in found.entropies]
        title = f"What an intruder after {found.target} is unsure of, by known columns, leaf by leaf"
        console.print()
        console.print(table(title, ("known", "record entropy, bits", "class entropy, bits"), rows_known))
    if found.security:
        console.print(found.security.words(), markup=False)


def draw_verdict(console: Console, verdict: "Verdict") -> None:
    """Show the verdict in words."""
    console.print(f"\n{verdict.title}.", markup=False, style="bold")
    parts = {
        "An intruder": verdict.intruder,
        "For an analyst": verdict.analyst,
        "To change in the policy": verdict.change,
    }
    for who, sentences in parts.items():
        if sentences:
            console.print(f"{who}:", markup=False)
        for sentence in sentences:
            console.print(f"  - {sentence}", markup=False)


def _draw(console: Console, found: "Comparison") -> None:
    console.print(f"{found.plan.view} compared with {found.plan.table}, {found.records:,} records", markup=False)
    draw_verdict(console, found.verdict)
    if found.numbers:
        rows = [
            (
                name,
                c.share_changed,
                c.mean_before,
                c.mean_after,
                _root(c.variance_before),
                _root(c.variance_after),
                c.ks_distance,
            )
            for name, c in found.numbers.items()
        ]
        console.print()
        header = ("number", "changed", "mean", "mean after", "sd", "sd after", "KS distance")
        console.print(table("Numbers", header, rows))
        if found.correlations is not None and found.correlations.largest is not None:
            console.print(
                f"\nNo correlation between two numbers changed by more than {found.correlations.largest:.3f}."
            )
    if found.categories:
        rows_words = [(name, c.share_changed, c.total_variation) for name, c in found.categories.items()]
        console.print()
        console.print(table("Categories", ("category", "changed", "total variation of shares"), rows_words))
    if found.associations:
        strongest = sorted(found.associations, key=lambda pair: -(pair.change.before.cramers_v or 0))[:SHOWN]
        rows_pairs = [
            (
                f"{found.categorical[pair.first]} x {found.categorical[pair.second]}",
                pair.change.before.chi_square,
                pair.change.after.chi_square,
                pair.change.before.likelihood_ratio,
                pair.change.after.likelihood_ratio,
                pair.change.before.cramers_v,
                pair.change.after.cramers_v,
                "yes" if pair.change.before.large_sample and pair.change.after.large_sample else "no",
            )
            for pair in strongest
        ]
        console.print()
        header_pairs = ("columns", "chi2", "after", "LR chi2", "after", "V", "after", "large")
        console.print(
            table(
                "The strongest associations: Pearson and likelihood-ratio chi-square, Cramer's V",
                header_pairs,
                rows_pairs,
            )
        )
    if found.entropies:
        rows_known = [(each.known, each.record, each.confidential) for each in found.entropies]
        title = f"What an intruder after {found.confidential} is unsure of, by known columns"
        console.print()
        console.print(table(title, ("known", "record entropy, bits", "confidential entropy, bits"), rows_known))
    for name, measured in found.uncertainties.items():
        rows_cae = [
            (", ".join(each.known) or "nothing", each.before.h0, each.after.h0, each.before.area, each.after.area)
            for each in measured
        ]
        title = f"CAE of {name} in cells of its domain: what an intruder is unsure of, on average"
        console.print()
        console.print(table(title, ("known", "H(0) bits", "after", "area", "after"), rows_cae))
    if found.losses:
        rows_loss = [(name, c.mean_l, c.mean_sensitive_loss, c.mean_record_loss) for name, c in found.losses.items()]
        console.print()
        console.print(
            table("Information loss of lists", ("column", "values", "of the column", "of a record"), rows_loss)
        )
    for name, points in found.sweeps.items():
        chosen = [point for point in points if point.chosen]
        console.print(
            f"\n{name}: the best guess of one value is right {chosen[-1].risk:.1%} of the time, "
            f"and {chosen[-1].utility:.1%} of its association with other columns is kept."
            if name in found.categories
            else f"\n{name}: the best guess is right to within 5% of the domain {chosen[-1].risk:.1%} of the time, "
            f"and the published values explain {chosen[-1].utility:.1%} of its variance.",
            markup=False,
        )

    if found.patterns is not None:
        _draw_patterns(console, found.patterns)


def _root(variance: float | None) -> float | None:
    return None if variance is None else variance**0.5
