"""Negotiations by the official client: proposals are requested, refined at random within a seed and judged by the official verifier.

Prints one JSON object: `negotiations`, how many answers of each outcome there were, what the verifier found (`issues`), and what was bought by
proposals, once for each transport and pin.

    python negotiate.py --mcp http://127.0.0.1:3000/mcp --a2a http://127.0.0.1:3000 --pins none,3.2 --count 1000 --seconds 20 --seed 7

The key is read from AGENT_KEY.
"""

import argparse
import asyncio
import collections
import json
import logging
import os
import random
import time
import uuid
import warnings

import httpx
from adcp import ADCPClient, AgentConfig, Protocol, SyncAccountsRequest
from adcp.negotiation import refine_proposals_verified, verify_terms_digest, WIRE_RESPONSE_METADATA_KEY
from adcp.types import AcceptProposalRequest, DeclineProposalsRequest, RefineProposalsRequest, RequestProposalsRequest

BRIEFS = [
    "Outdoor video and display in the US, $40,000",
    "Sport on all screens, $80,000",
    "Podcasts for commuters, $15,000",
    "Premium CTV for families, $120,000",
    "Business readers, display, $25,000",
]
ASKS = ["more video", "a budget of 50,000 USD", "equal shares", "drop display", "10% off", "make it shine", "display to 40%"]


def wire(result):
    """The answer as it came over the wire."""
    return (result.metadata or {}).get(WIRE_RESPONSE_METADATA_KEY) or plain(result.data)


def plain(value):
    return value.model_dump(mode="json", exclude_none=True, by_alias=True) if hasattr(value, "model_dump") else value


def config(arguments, protocol):
    return AgentConfig(
        id="seller",
        agent_uri=arguments.mcp if protocol == "mcp" else arguments.a2a,
        protocol=Protocol.MCP if protocol == "mcp" else Protocol.A2A,
        auth_token=os.environ["AGENT_KEY"],
        auth_header="Authorization",
        auth_type="bearer",
        timeout=120.0,
    )


def account_of(name):
    return {"brand": {"domain": f"{name}.example"}, "operator": "agency.example"}


async def declare(client, account):
    accounts = [{**account, "billing": "operator"}]
    await client.sync_accounts(SyncAccountsRequest.model_validate({"idempotency_key": f"accounts-{uuid.uuid4()}", "accounts": accounts}))


async def on_the_wire(arguments, task, request):
    """An answer as it comes over the wire: the client's models change times and numbers, and digests with them."""
    params = {"name": task, "arguments": {"adcp_version": "3.2", **request}}
    headers = {"authorization": f"Bearer {os.environ['AGENT_KEY']}", "accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}
    async with httpx.AsyncClient(timeout=120) as http:
        answer = await http.post(arguments.mcp, json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, headers=headers)
    return answer.json()["result"]["structuredContent"]


async def drafts(client, account, brief):
    """Drafts by the client, as it reads them."""
    request = {"idempotency_key": str(uuid.uuid4()), "account": account, "brief": brief}
    result = await client.request_proposals(RequestProposalsRequest.model_validate(request))
    if not result.success:
        raise RuntimeError(result.error or result.message or "request_proposals failed")
    return result.data.proposals


async def finalize(client, proposals, capability):
    request = RefineProposalsRequest.model_validate(
        {
            "idempotency_key": str(uuid.uuid4()),
            "refinements": [{"proposal_id": each["proposal_id"], "action": "finalize"} for each in proposals],
        }
    )
    sources = {each["proposal_id"]: each for each in proposals}
    return await refine_proposals_verified(client, request, capability, source_proposals=sources)


async def purchase(arguments, protocol, pin):
    """A buy by proposals over one transport at one pin."""
    report = {"protocol": protocol, "pin": pin}
    options = {} if pin == "none" else {"adcp_version": pin}
    async with ADCPClient(config(arguments, protocol), **options) as client:
        try:
            account = account_of(f"{protocol}-{pin.replace('.', '-')}-proposals")
            await declare(client, account)
            capability = (await on_the_wire(arguments, "get_adcp_capabilities", {}))["media_buy"]["proposal_refinement"]
            first, *others = await drafts(client, account, BRIEFS[0])
            revised = await refine_proposals_verified(
                client,
                RefineProposalsRequest.model_validate(
                    {
                        "idempotency_key": str(uuid.uuid4()),
                        "refinements": [
                            {
                                "proposal_id": first.proposal_id,
                                "action": "revise",
                                "constraints": {"total_budget": {"max": 20000, "currency": "USD"}},
                            }
                        ],
                    }
                ),
                capability,
            )
            draft = wire(revised.task_result)["results"][0]["proposals"][0]
            firm = wire((await finalize(client, [draft], capability)).task_result)["results"][0]["proposal"]
            bought = await client.accept_proposal(
                AcceptProposalRequest.model_validate(
                    {
                        "idempotency_key": str(uuid.uuid4()),
                        "account": account,
                        "proposal_id": firm["proposal_id"],
                        "proposal_terms_digest": firm["terms_digest"],
                    }
                )
            )
            report["success"] = bought.success
            report["purchase"] = {
                "media_buy_id": bought.data.media_buy_id,
                "accepted_proposal": {"terms_digest": bought.data.accepted_proposal.terms_digest},
            } if bought.success else None
            if not bought.success:
                report["error"] = str(bought.error or bought.message)
            if others:
                declines = [{"proposal_id": each.proposal_id, "reason": "selected_alternative"} for each in others]
                request = {"idempotency_key": str(uuid.uuid4()), "declines": declines}
                declined = await client.decline_proposals(DeclineProposalsRequest.model_validate(request))
                report["declined"] = [str(each.outcome) for each in declined.data.results]
        except Exception as error:  # noqa: BLE001 - the report says what went wrong
            report["error"] = f"{type(error).__name__}: {error}"
    return report


def refinement(chance, proposal):
    """A typed revision of a proposal."""
    terms = proposal["commercial_terms"]
    amount, currency = terms["total_budget"]["amount"], terms["total_budget"]["currency"]
    products = [purchase["product_id"] for purchase in terms["purchases"]]
    entry = {"proposal_id": proposal["proposal_id"], "action": "revise"}
    constraints = {}
    if chance.random() < 0.4:
        bound = round(amount * chance.choice([0.01, 0.5, 0.9, 1.1, 2]), 2)
        constraints["total_budget"] = {chance.choice(["min", "max"]): bound, "currency": chance.choice([currency] * 9 + ["GBP"])}
    if chance.random() < 0.25:
        constraints["cpm"] = {"max": chance.choice([1, 12, 25, 60]), "currency": currency}
    if chance.random() < 0.25:
        constraints["flight"] = {chance.choice(["start_no_later_than", "end_no_earlier_than"]): f"2027-{chance.randint(1, 12):02d}-01T00:00:00Z"}
    if constraints:
        entry["constraints"] = constraints
    if chance.random() < 0.35:
        changes = {chance.choice(products): "omit", chance.choice(["native_content", "sport_display", "no_such_product"]): "include"}
        entry["product_changes"] = changes
    if chance.random() < 0.3:
        entry["alternatives"] = {"count": chance.randint(2, 5)}
    if chance.random() < 0.4 or len(entry) == 2:
        entry["ask"] = chance.choice(ASKS)
    return entry


async def negotiate(arguments):
    """Negotiations until there were enough, or the time is over."""
    chance = random.Random(arguments.seed)
    outcomes, issues, done = collections.Counter(), [], 0
    until = time.monotonic() + arguments.seconds
    async with ADCPClient(config(arguments, "mcp"), adcp_version="3.2") as client:
        account = account_of("negotiation")
        await declare(client, account)
        capability = (await on_the_wire(arguments, "get_adcp_capabilities", {}))["media_buy"]["proposal_refinement"]
        known = []
        while done < arguments.count and time.monotonic() < until:
            if len(known) < 4 or chance.random() < 0.05:
                known = (await on_the_wire(
                    arguments,
                    "request_proposals",
                    {"idempotency_key": str(uuid.uuid4()), "account": account, "brief": chance.choice(BRIEFS)},
                ))["proposals"] + known[:20]
            sources = chance.sample(known, min(len(known), chance.randint(1, 4)))
            try:
                if chance.random() < 0.15:
                    verified = await finalize(client, sources, capability)
                else:
                    refinements = [refinement(chance, each) for each in sources]
                    request = {"idempotency_key": str(uuid.uuid4()), "refinements": refinements}
                    verified = await refine_proposals_verified(client, RefineProposalsRequest.model_validate(request), capability)
            except Exception as error:  # noqa: BLE001 - what the verifier found
                issues.append(f"{done}: {type(error).__name__}: {error}"[:500])
                done += 1
                continue
            done += 1
            if not verified.valid:
                issues.append(f"{done}: {verified.task_result.error or verified.task_result.message}"[:500])
                continue
            firm = []
            for result in wire(verified.task_result)["results"]:
                outcomes[result["outcome"]] += 1
                if "reason_code" in result:
                    outcomes[result["reason_code"]] += 1
                known.extend(result.get("proposals", []))
                firm.extend([result["proposal"]] if "proposal" in result else [])
            if not all(verify_terms_digest(each) for each in firm):
                issues.append(f"{done}: a digest is wrong")
            if firm:
                declines = [{"proposal_id": each["proposal_id"], "reason": "budget_changed"} for each in firm]
                request = {"idempotency_key": str(uuid.uuid4()), "declines": declines}
                await client.decline_proposals(DeclineProposalsRequest.model_validate(request))
            chance.shuffle(known)
            known = known[:24]
    return {"negotiations": done, "outcomes": dict(outcomes), "issues": issues}


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mcp", required=True)
    parser.add_argument("--a2a", required=True)
    parser.add_argument("--pins", default="3.2")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    pins = arguments.pins.split(",")
    purchases = [await purchase(arguments, protocol, pin) for protocol in ("mcp", "a2a") for pin in pins]
    print(json.dumps({**await negotiate(arguments), "purchases": purchases}))


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    asyncio.run(main())
