"""Standard output and error, of which a command needs not know whether anyone reads.

A reader that has enough (``| head``) ends the output and nothing else: reports are
written all the same, and the exit code is that of what was found. An error such as a
full disk is kept until the command has ended.
"""

from __future__ import annotations

import io
import sys
from typing import Any, TextIO


class Sink(io.RawIOBase):
    """The bytes of a stream, of which nothing is written after the first error.

    ``error`` is that error, but for a pipe that its reader closed.
    """

    def __init__(self, stream: TextIO | None) -> None:
        """Write where a stream writes; None is one that is closed."""
        buffer: Any = None if stream is None else stream.buffer
        self._raw = getattr(buffer, "raw", buffer)
        self._ended = False
        self.error: OSError | None = None

    def writable(self) -> bool:
        """True: bytes may always be written."""
        return True

    def isatty(self) -> bool:
        """Tell whether it is a terminal."""
        return self._raw is not None and bool(self._raw.isatty())

    def fileno(self) -> int:
        """The descriptor of the stream.

        Raises:
            io.UnsupportedOperation: if it is closed.
        """
        if self._raw is None:
            raise io.UnsupportedOperation("the stream is closed")
        return int(self._raw.fileno())

    def write(self, data: Any) -> int | None:
        """Write bytes, or drop them; return how many are dealt with."""
        if not self._ended:
            try:
                return self._write(data)
            except BrokenPipeError:
                self._ended = True
            except OSError as error:
                self._ended, self.error = True, error
        return memoryview(data).nbytes

    def _write(self, data: Any) -> int | None:
        if self._raw is None:
            raise OSError("it is closed")
        written: int | None = self._raw.write(data)
        return written


class LastingBuffer(io.BufferedWriter):
    """Bytes on their way to a sink, which code of a model cannot close."""

    def close(self) -> None:
        """Write what is kept, and stay open."""
        self.flush()


class LastingText(io.TextIOWrapper):
    """A text stream of the command, which code of a model can neither close nor take.

    A file may do so while it is loaded, as one that sets another encoding.
    """

    def close(self) -> None:
        """Write what is kept, and stay open."""
        self.flush()

    def detach(self) -> Any:
        """The buffer, which stays that of this stream, too."""
        self.flush()
        return self.buffer


def text_of(sink: Sink, stream: TextIO | None) -> TextIO:
    """The text stream of a sink, with the settings of the stream before.

    What the encoding does not have is written as an escape sequence.
    """
    at_once = stream is None or sink.isatty() or _is_unbuffered(stream)
    return LastingText(
        LastingBuffer(sink),
        encoding="utf-8" if stream is None else stream.encoding,
        errors="backslashreplace",
        line_buffering=at_once,
    )


def take_over() -> Sink:
    """Put sinks in the place of standard output and error; return that of output."""
    out, err = Sink(sys.stdout), Sink(sys.stderr)
    sys.stdout, sys.stderr = text_of(out, sys.stdout), text_of(err, sys.stderr)
    return out


def _is_unbuffered(stream: TextIO) -> bool:
    settings: Any = stream
    return bool(settings.line_buffering or settings.write_through)


def reason(error: OSError) -> str:
    """The reason of an error in the system's words."""
    return error.strerror or str(error)
