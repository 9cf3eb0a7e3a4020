"""From sufficient statistics to scores: `Score`, and the dialects that turn rows into one."""

from .nltk_dialect import NLTK as NLTK
from .nltk_dialect import NltkDialect as NltkDialect
from .result import Score as Score
from .sacrebleu_dialect import SACREBLEU as SACREBLEU
from .sacrebleu_dialect import SacrebleuDialect as SacrebleuDialect

DIALECTS = {"sacrebleu": SACREBLEU, "nltk": NLTK}
