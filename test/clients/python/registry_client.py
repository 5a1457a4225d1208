"""Asks a registry through the official client; prints what each question gave, or the error that the client made of the answer."""

import argparse
import asyncio
import json

from adcp.exceptions import RegistryError
from adcp.registry import RegistryClient


async def ask(call):
    try:
        return {"answer": await call}
    except RegistryError as error:
        return {"status": error.status_code, "code": (error.details or {}).get("code")}


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--origin", required=True)
    parser.add_argument("--agent", required=True)
    parser.add_argument("--publisher", required=True)
    args = parser.parse_args()
    async with RegistryClient(args.origin) as client:
        selectors = [{"publisher_domain": args.publisher, "selection_type": "all"}]
        report = {
            "authorizations": await ask(client.get_agent_authorizations(args.agent)),
            "authorizations_raw": await ask(client.get_agent_authorizations(args.agent, include="raw")),
            "authorizations_of_nonsense": await ask(client.get_agent_authorizations("nonsense")),
            "authorization": await ask(client.lookup_publisher_agent_authorization(args.publisher, args.agent)),
            "authorization_of_nobody": await ask(
                client.lookup_publisher_agent_authorization(args.publisher, "https://nobody.example")
            ),
            "operator": await ask(client.lookup_operator("agent.example", scope="public")),
            "operator_scope": await ask(client.lookup_operator("agent.example", scope="membr")),
            "not_served": await ask(client.expand_product_identifiers(args.agent, selectors)),
        }
    print(json.dumps(report))


asyncio.run(main())
