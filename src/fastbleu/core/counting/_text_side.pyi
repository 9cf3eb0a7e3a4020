from typing import final

@final
class TextSide: ...
