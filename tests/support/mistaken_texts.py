"""Texts of which `score` and the command warn."""

HYPOTHESES = ["the cat sat on the mat", "it rained all night", "dogs bark at me", "a b"]
# Blank references of the first two segments stand for missing ones; the last has no other.
REFERENCES = [
    ["the cat sat on a mat here today", "", "  ", "the cat sat on mat"],
    ["", "it rained the whole night long", "", ""],
    ["a dog barked at me", "dogs bark", "dogs barked at me", "a dog barks"],
    ["", "", " ", ""],
]
DROPPED = [[text for text in some if text.strip()] or [""] for some in REFERENCES]
BLANK = 'blank references, .*length 0: 5, in .*missing="ragged"'
CHINESE = ["我今天早上喝了一杯很热的咖啡，然后去了公司。", "他说这本书非常有意思。"] * 6
JAPANESE = ["今朝は熱いコーヒーを一杯飲んでから会社に行きました。"] * 12
INPUTS = {
    "tokenized": ["the cat sat on the mat .", "it rained , all night ."] * 60,
    "blank": (HYPOTHESES, REFERENCES),
    "short": ["a b", "c"] * 4,
    "Chinese": CHINESE,
    "Japanese": JAPANESE,
}
