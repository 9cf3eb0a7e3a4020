"""Refuse to be imported in a sub-interpreter."""

from __future__ import annotations


def refuse_sub_interpreters() -> None:
    """Raise an ImportError in a sub-interpreter, before any compiled module is loaded there.

    Compiled code that released the GIL acquires it again for the main interpreter
    (PyGILState_Ensure), which deadlocks in any other. And a compiled module belongs to the first
    interpreter that loads it: the main interpreter could no longer load it.
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
