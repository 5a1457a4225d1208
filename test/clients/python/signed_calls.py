"""Signed calls with the official AdCP client for Python.

Declares an account by `sync_accounts`, signed as the client decides from the capabilities of the agent, and prints one JSON list with an object
for each run: `success`, the accounts and the error of the answer, and for each request that was signed the covered components and how the signature
is written. A run is `protocol,pin,algorithm,profile`; `none` leaves the choice of pin or signing profile to the client.

    python signed_calls.py --mcp http://127.0.0.1:3000/mcp --a2a http://127.0.0.1:3000 mcp,3.1,ed25519,none a2a,none,ecdsa-p256-sha256,3.2

The private keys are read from AGENT_KEY, a JSON object of PEM texts (PKCS #8) by algorithm; the algorithm is also the id of the key.
"""

import argparse
import asyncio
import json
import logging
import os
import re
import uuid
import warnings

from adcp import ADCPClient, AgentConfig, Protocol, SyncAccountsRequest
from adcp.signing import SigningConfig
from cryptography.hazmat.primitives.serialization import load_pem_private_key

ACCOUNT = {"brand": {"domain": "coffee.example"}, "operator": "coffee.example", "billing": "operator"}


def plain(value):
    """A model of the client as JSON values."""
    return value.model_dump(mode="json", exclude_none=True) if hasattr(value, "model_dump") else value


def described(headers) -> dict:
    """What a signed request covers, and the alphabet and padding of its signature."""
    signature = re.search(r":(.*):", headers["Signature"]).group(1)
    components = re.search(r"\((.*?)\)", headers["Signature-Input"]).group(1)
    return {"components": re.findall(r'"([^"]+)"', components), "padded": signature.endswith("=")}


async def run(url: str, protocol: str, pin: str, algorithm: str, profile: str) -> dict:
    """One signed call; gives what is printed of it."""
    pem = json.loads(os.environ["AGENT_KEY"])[algorithm]
    signing = SigningConfig(
        private_key=load_pem_private_key(pem.encode(), password=None),
        key_id=algorithm,
        alg=algorithm,
        signing_profile_version=None if profile == "none" else profile,
    )
    config = AgentConfig(id="seller", agent_uri=url, protocol=Protocol(protocol))
    signed = []
    async with ADCPClient(config, adcp_version=None if pin == "none" else pin, signing=signing) as client:
        sign = client.adapter.signing_request_hook

        async def observed(request):
            await sign(request)
            if "Signature" in request.headers:
                signed.append(described(request.headers))

        client.adapter.signing_request_hook = observed
        request = SyncAccountsRequest(idempotency_key=str(uuid.uuid4()), accounts=[ACCOUNT])
        result = await client.sync_accounts(request)
    return {"success": bool(result.success), "signed": signed, "error": result.error, "data": plain(result.data)}


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mcp", required=True, help="address of the agent over MCP")
    parser.add_argument("--a2a", required=True, help="address of the agent over A2A")
    parser.add_argument("runs", nargs="+", help="protocol,pin,algorithm,profile")
    arguments = parser.parse_args()
    reports = []
    for each in arguments.runs:
        protocol, pin, algorithm, profile = each.split(",")
        url = arguments.mcp if protocol == "mcp" else arguments.a2a
        reports.append({"run": each, **await run(url, protocol, pin, algorithm, profile)})
    print(json.dumps(reports))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    asyncio.run(main())
