import dataclasses
import typing


@dataclasses.dataclass
class Case:
    """A command line that aaco refuses, and how."""

    name: str
    arguments: str  # after "aaco"; {tmp} is the case's own folder, and the working one
    exit_code: int
    message: str  # a pattern found in the line after "aaco: "
    hint: str = "."  # likewise after "hint: "
    files: dict = dataclasses.field(default_factory=dict)  # name in {tmp} -> bytes
    prepare: typing.Optional[typing.Callable] = None  # prepare(tmp, aaco) makes what bytes cannot say
    leaves_session: bool = False  # True where the measurement took place and was found invalid
