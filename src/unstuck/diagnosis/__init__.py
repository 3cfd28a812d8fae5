"""Signs, the one judgement, texts, and the record of an answer."""
