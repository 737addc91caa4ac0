"""`python -m sdcdb.manual` writes the generated sections of docs/ anew, in a checkout of the repository."""

from sdcdb.manual.checkout import DOCS
from sdcdb.manual.page import fill
from sdcdb.manual.pages import PAGES
from sdcdb.manual.picture import PICTURE, draw

for page in PAGES:
    file = DOCS / page.path
    file.write_text(fill(file.read_text(encoding="utf-8"), page.sections), encoding="utf-8")
(DOCS / PICTURE).write_text(draw(), encoding="utf-8")
