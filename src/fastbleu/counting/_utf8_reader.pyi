from typing import final

@final
class Utf8Reader: ...
