"""Verifies the report of verify-seller with PyJWT.

Reads FOLDER/report.json, its detached signature report.json.jws (RFC 7515, appendix F) and the key report.key.json, and prints one JSON object:
`valid`, the `kid` that signed, and for a signature that is not one the name of the error.

    python report_signature.py FOLDER [FOLDER ...]
"""

import base64
import json
import pathlib
import sys

import jwt


def verified(folder):
    payload = (folder / "report.json").read_bytes()
    header, _, signature = (folder / "report.json.jws").read_text().strip().split(".")
    key = jwt.PyJWK(json.loads((folder / "report.key.json").read_text()))
    body = base64.urlsafe_b64encode(payload).rstrip(b"=").decode()
    token = f"{header}.{body}.{signature}"
    try:
        decoded = jwt.PyJWS().decode_complete(token, key, algorithms=["EdDSA", "ES256"])
    except jwt.InvalidTokenError as error:
        return {"valid": False, "error": type(error).__name__}
    return {"valid": decoded["payload"] == payload, "kid": decoded["header"]["kid"]}


print(json.dumps([verified(pathlib.Path(folder)) for folder in sys.argv[1:]]))
