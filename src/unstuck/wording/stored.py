"""The API server's words for an object that it finds in etcd and cannot read.

Sources: staging/src/k8s.io/apiserver/pkg/storage/etcd3/store.go (`unable to transform key`), storage/errors.go (`corrupt object`, 1.32 on
with AllowUnsafeMalformedObjectDeletion), storage/value/encrypt (the providers' own errors, 1.7–1.34), apimachinery/pkg/runtime (decoders).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import UnreadableWord
from unstuck.wording.clean import clean

UNTRANSFORMABLE = (
    r"identity transformer tried to read encrypted data|no matching prefix found"
    r"|no matching key was found for the provided \w{1,20} transformer|invalid padding on input|invalid PKCS7 data"
    r"|cipher: message authentication failed|output array was not large enough for encryption"
    r"|the stored data (?:was shorter than the required size|is not a multiple of the block size|is missing the required info prefix)"
    r"|failed to decrypt DEK|data from the storage is not transformable"
)
UNDECODABLE = (
    r"object not decodable|no kind \"\w{1,63}\" is registered for (?:version|the internal version of group)"
    r"|couldn't get version/kind; json parse error|Object '(?:Kind|apiVersion)' is missing in"
    r"|provided data does not appear to be a protobuf message|proto: (?:illegal|wrong wireType|\w{1,63}: (?:illegal|wiretype))"
)
# Words of any text that does not decode: only the answer to reading a stored object means that object by them.
_JSON = r"invalid character '[^']{1,8}' (?:looking for|after|in)|json: cannot unmarshal|illegal base64 data at input byte|\byaml: "
_KEYS = (
    regex(r'unable to transform key "(?P<key>/[^"\s]{1,1000})": (?P<why>[^\n]{1,300})'),
    regex(
        r"corrupt object, Code: \d{1,3}, Key: (?P<key>/[^\s,]{1,1000}), [^\n]{0,80}AdditionalErrorMsg: (?P<why>[^\n]{1,300})"
    ),
)
# staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go
_UNCONVERTED = "conversion webhook for "
# Both generations of KMS plugins (staging/src/k8s.io/apiserver/pkg/storage/value/encrypt/envelope): the key is not the server's own.
_KMS = regex(r"\bDEK\b|\brpc error: code = |\bkms\b", re.IGNORECASE)
_UNTRANSFORMABLE, _UNDECODABLE = regex(UNTRANSFORMABLE), regex(UNDECODABLE)
_ANSWER = regex(f"{UNDECODABLE}|{_JSON}")


@record()
class UnreadObject(Record):
    """An unreadable stored object. key: its key in etcd, "" if the words do not name it."""

    error: UnreadableWord
    key: str
    why: str


def find_unread_keys(message: str) -> Iterator[UnreadObject]:
    """Yield every key that a quoted message names as unreadable, except objects that a conversion webhook fails to convert: from 1.37 on the server
    calls these corrupt, too.
    """
    text = clean(message)
    for form in _KEYS:
        for m in form.finditer(text):
            if _UNCONVERTED in m["why"]:
                continue
            yield UnreadObject(
                "undecodable" if _UNDECODABLE.search(m["why"]) else _choose_encryption_word(m["why"]),
                m["key"],
                m["why"].strip(),
            )


def _choose_encryption_word(why: str) -> UnreadableWord:
    return "kms-failed" if _KMS.search(why) else "untransformable"


def find_unread_object(message: str) -> UnreadObject | None:
    """Return the unreadable object in a server's answer to a GET or a LIST; None for other errors. A webhook's failure is not the storage's."""
    if unread := next(find_unread_keys(message), None):
        return unread
    text = clean(message)
    if "webhook" in text.lower():
        return None
    if match := _UNTRANSFORMABLE.search(text):
        return UnreadObject(_choose_encryption_word(text[match.start() :]), "", text[match.start() :][:300])
    return (
        UnreadObject("undecodable", "", text[match.start() :][:300])
        if (match := _ANSWER.search(text))
        else None
    )
