"""The prompt: multi-line input, history, completion, colours."""

from prompt_toolkit import PromptSession
from prompt_toolkit.filters import Condition, is_done
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from pygments.lexers.sql import SqlLexer

from sdcdb.shell.completion import SqlCompleter
from sdcdb.shell.session import Outcome, Session
from sdcdb.shell.split import blank, split
from sdcdb.terminal.printable import printable

WORDS_TO_LEAVE = frozenset({"exit", "quit"})


def finished(text: str) -> bool:
    """Return whether Enter ends the input: a command, an empty line, or complete statements."""
    if text.lstrip().startswith("\\") or not text.strip() or text.strip().lower() in WORDS_TO_LEAVE:
        return True
    return bool(split(text).statements) and blank(split(text).rest)


def converse(session: Session, name: str, history: History) -> None:
    """Prompt, run and draw until the user quits."""
    prompt: PromptSession[str] = PromptSession(
        FormattedText([("bold ansicyan", f"{printable(name, 30)}> ")]),
        multiline=True,
        prompt_continuation=lambda width, _line, _wrapped: "...> ".rjust(width),
        history=history,
        completer=SqlCompleter(session.gateway.relations),
        complete_while_typing=False,
        lexer=PygmentsLexer(SqlLexer),
        key_bindings=_keys(),
    )
    while True:
        try:
            text = prompt.prompt()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if run(session, text) is Outcome.LEAVE:
            return


def run(session: Session, text: str) -> Outcome:
    """Run what was typed or pasted: one command, or any number of statements. Cancelling one skips the rest."""
    if text.strip().lower() in WORDS_TO_LEAVE:
        return Outcome.LEAVE
    inputs = (text,) if text.lstrip().startswith("\\") else split(text).statements
    for each in inputs:
        outcome = session.run(each)
        if outcome in {Outcome.LEAVE, Outcome.CANCELLED}:
            return outcome
    return Outcome.DONE


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter", filter=~is_done & ~Condition(_choosing))
    def _(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if finished(buffer.text):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    return keys


def _choosing() -> bool:
    """Whether a completion is selected: Enter then accepts it."""
    from prompt_toolkit.application import get_app

    state = get_app().current_buffer.complete_state
    return state is not None and state.current_completion is not None
