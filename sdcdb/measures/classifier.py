"""How often a classifier is right: a tree, and a second classifier of another kind.

Section 7.3 of the thesis (2007) measures a perturbed table by the accuracy of the tree grown from it: on that table, on
the original one, and on records kept for testing (Tables 7.1 to 7.3); chapter 9 asks the same of another classifier.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from sdcdb.errors import DataError
from sdcdb.trees.table import TrainingTable

Kind = Literal["bayes", "forest"]


class Classifier(Protocol):
    """Predicts a class: codes that refer to `classes`."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The values of the class."""

    def predict(self, table: TrainingTable) -> NDArray[np.int32]:
        """Return the code of the predicted class of each record."""


def accuracy(classifier: Classifier, table: TrainingTable) -> float:
    """Return the share of records whose class is predicted; those without a class do not count."""
    known = np.flatnonzero(table.labels() >= 0)
    if not len(known):
        raise DataError("no record of the table has a class: nothing to measure")
    predicted = np.array([*classifier.classes, None], object)[classifier.predict(table)[known]]
    actual = np.array(table.classes, object)[table.labels()[known]]
    return float(np.mean(predicted == actual))


@dataclass(frozen=True)
class Accuracies:
    """The accuracy of one classifier on the table it was trained on, on the original table and on the testing table."""

    own: float
    original: float
    testing: float | None


def accuracies(
    learn: Callable[[TrainingTable], Classifier],
    perturbed: TrainingTable,
    original: TrainingTable,
    testing: TrainingTable | None = None,
) -> Accuracies:
    """Train on the perturbed table, and measure on all three: a line of Table 7.1."""
    classifier = learn(perturbed)
    return Accuracies(
        accuracy(classifier, perturbed),
        accuracy(classifier, original),
        None if testing is None else accuracy(classifier, testing),
    )


def second_classifier(table: TrainingTable, kind: Kind = "bayes", seed: int = 0) -> Classifier:
    """Return naive Bayes (a normal distribution for each number, frequencies for each category) or a random forest."""
    if not (table.labels() >= 0).any():
        raise DataError("no record of the table has a class: nothing to learn")
    return _Bayes(table) if kind == "bayes" else _Forest(table, seed)


class _Learnt:
    """What a classifier keeps of its training table: the values of categories and the means of numbers."""

    def __init__(self, table: TrainingTable) -> None:
        self.classes = table.classes
        self.attributes = [attribute for attribute in table.attributes if attribute.name != table.target]
        numbers = [attribute.name for attribute in self.attributes if attribute.kind == "number"]
        self.means = {name: _mean(np.asarray(table.column(name), np.float64)) for name in numbers}

    def numbers(self, table: TrainingTable) -> NDArray[np.float64]:
        """Return the numbers, with missing ones replaced by the mean."""
        columns = [np.nan_to_num(table.column(n), nan=m, posinf=m, neginf=m) for n, m in self.means.items()]
        return np.column_stack(columns) if columns else np.zeros((table.rows, 0))

    def codes(self, table: TrainingTable) -> NDArray[np.int64]:
        """Return the categories as codes; missing and unseen ones have the code after the last."""
        columns = []
        for attribute in self.attributes:
            if attribute.kind == "category":
                place = {value: code for code, value in enumerate(attribute.values)}
                last = len(attribute.values)
                own = [place.get(value, last) for value in table.attribute(attribute.name).values]
                columns.append(np.array([*own, last])[table.column(attribute.name)])
        return np.column_stack(columns) if columns else np.zeros((table.rows, 0), np.int64)

    def sizes(self) -> list[int]:
        """Return how many codes each category has."""
        return [len(attribute.values) + 1 for attribute in self.attributes if attribute.kind == "category"]


class _Bayes(_Learnt):
    def __init__(self, table: TrainingTable) -> None:
        super().__init__(table)
        from sklearn.naive_bayes import CategoricalNB, GaussianNB

        known = np.flatnonzero(table.labels() >= 0)
        labels = table.labels()[known]
        part = table.taken(known)
        self.present = np.unique(labels)
        self.prior = np.log(np.bincount(labels, minlength=len(self.classes))[self.present] / len(labels))
        self.models: list[tuple[Any, Callable[[TrainingTable], NDArray[Any]]]] = []
        if self.means:
            self.models.append((GaussianNB(), self.numbers))
        if self.sizes():
            self.models.append((CategoricalNB(min_categories=self.sizes()), self.codes))
        for model, columns in self.models:
            model.fit(columns(part), labels)

    def predict(self, table: TrainingTable) -> NDArray[np.int32]:
        """Return the class of the largest product of probabilities; each model's own prior is divided out once."""
        score = np.tile(self.prior, (table.rows, 1))
        if table.rows:
            for model, columns in self.models:
                score += model.predict_joint_log_proba(columns(table)) - self.prior
        return np.asarray(self.present[score.argmax(axis=1)], np.int32)


class _Forest(_Learnt):
    def __init__(self, table: TrainingTable, seed: int) -> None:
        super().__init__(table)
        from sklearn.ensemble import RandomForestClassifier

        known = np.flatnonzero(table.labels() >= 0)
        self.model = RandomForestClassifier(n_estimators=100, random_state=seed)
        self.model.fit(self._columns(table.taken(known)), table.labels()[known])

    def _columns(self, table: TrainingTable) -> NDArray[np.float64]:
        indicators = [
            (codes[:, np.newaxis] == np.arange(size)).astype(np.float64)
            for codes, size in zip(self.codes(table).T, self.sizes(), strict=True)
        ]
        return np.column_stack([self.numbers(table), *indicators, np.zeros(table.rows)])

    def predict(self, table: TrainingTable) -> NDArray[np.int32]:
        """Return the majority of the forest's trees."""
        return np.asarray(self.model.predict(self._columns(table)) if table.rows else [], np.int32)


def _mean(column: NDArray[np.float64]) -> float:
    finite = column[np.isfinite(column)]
    return float(finite.mean()) if len(finite) else 0.0
