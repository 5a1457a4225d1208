"""Asks a registry through the official client; prints what each question gave, or the error that the client made of the answer."""

import argparse
import asyncio
import json

import httpx

from adcp.exceptions import RegistryError
from adcp.registry import RegistryClient


async def ask(call):
    try:
        return {"answer": await call}
    except RegistryError as error:
        return {"status": error.status_code, "code": (error.details or {}).get("code")}


async def dumped(call):
    """The models that the client made of an answer, as JSON."""
    answer = await call
    if isinstance(answer, list):
        return [each.model_dump(mode="json", exclude_none=True) for each in answer]
    return None if answer is None else answer.model_dump(mode="json", exclude_none=True)


async def rows_of_snapshot(origin):
    """The rows of the export; the client's own method wants one JSON object where the registry's description has NDJSON."""
    async with httpx.AsyncClient(trust_env=False) as http:
        answer = await http.get(f"{origin}/api/registry/authorizations/snapshot")
    return {"cursor": answer.headers["x-sync-cursor"], "rows": [json.loads(line) for line in answer.text.splitlines()]}


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--origin", required=True)
    parser.add_argument("--agent", required=True)
    parser.add_argument("--publisher", required=True)
    args = parser.parse_args()
    async with RegistryClient(args.origin) as client:
        agents = client.list_agents(health=True, capabilities=True, properties=True, compliance=True)
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
            "agents": await ask(dumped(agents)),
            "agents_plain": await ask(dumped(client.list_agents())),
            "agents_sales": await ask(dumped(client.list_agents(type="sales"))),
            "agents_verified": await ask(dumped(client.list_agents(verified=True))),
            "agents_measuring": await ask(dumped(client.list_agents(metric_id="attention"))),
            "publishers": await ask(dumped(client.list_publishers())),
            "domain": await ask(dumped(client.lookup_domain(args.publisher))),
            "domains": await ask(client.get_agent_domains(args.agent)),
            "search": await ask(client.search_agents(auth_token="none", channels="ctv")),
            "snapshot": await rows_of_snapshot(args.origin),
            "snapshot_raw": await ask(client.get_agent_authorizations_snapshot(include="raw")),
            "snapshot_claims": await ask(client.get_agent_authorizations_snapshot(evidence="agent_claim")),
            "stats": await ask(client.get_registry_stats()),
            "property": await ask(dumped(client.lookup_property(args.publisher))),
            "publisher": await ask(client.lookup_publisher(args.publisher)),
            "validated": await ask(client.validate_adagents(args.publisher)),
            "feed": await ask(dumped(client.get_feed(auth_token="none"))),
            "operator_scope": await ask(client.lookup_operator("agent.example", scope="membr")),
            "not_served": await ask(client.expand_product_identifiers(args.agent, selectors)),
        }
    print(json.dumps(report))


asyncio.run(main())
