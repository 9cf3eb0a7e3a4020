"""Which interpreter of a process the package works in: the main one."""

from __future__ import annotations


def refuse_sub_interpreters() -> None:
    """Raise an ImportError in a sub-interpreter, before any compiled module is loaded there.

    Compiled code that has given the interpreter's lock away takes it back for the main interpreter
    (PyGILState_Ensure), and in any other waits for ever. And a compiled module belongs to the first
    interpreter that loads it, so that the main one could not load it any more.
    """
    if not _is_main():
        raise ImportError(
            "fastbleu works in the main interpreter only, and this is a sub-interpreter; under "
            "mod_wsgi set WSGIApplicationGroup %{GLOBAL}"
        )


def _is_main() -> bool:
    try:
        import _thread

        return bool(_thread._is_main_interpreter())  # type: ignore[attr-defined]
    except AttributeError:  # before Python 3.12
        try:
            import _xxsubinterpreters as subinterpreters  # type: ignore[import-not-found]
        except ImportError:
            return True
        return bool(subinterpreters.get_current() == subinterpreters.get_main())
