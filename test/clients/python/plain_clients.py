"""The MCP and A2A clients for Python, without any AdCP code: discovery, an account, a media buy and its listing over each.

Prints one JSON object: for each protocol the products that arrived, the buy that was created, and the buys that are listed.

    python plain_clients.py --mcp http://127.0.0.1:3000/mcp --a2a http://127.0.0.1:3000

The key is read from AGENT_KEY.
"""

import argparse
import asyncio
import json
import logging
import os
import uuid
from datetime import datetime, timedelta, timezone

import httpx
import httpx2
from a2a import types as a2a
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Value
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

ACCOUNT = {"brand": {"domain": "tea.example"}, "operator": "agency.example"}


def headers():
    """The credentials of every request."""
    return {"Authorization": f"Bearer {os.environ['AGENT_KEY']}"}


async def buy(call):
    """A media buy by a function that calls a task and gives its data."""
    found = await call("get_products", {"buying_mode": "brief", "brief": "banners for tea drinkers"})
    product = next(each for each in found["products"] if each["pricing_options"][0].get("fixed_price"))
    await call(
        "sync_accounts",
        {"idempotency_key": str(uuid.uuid4()), "accounts": [{**ACCOUNT, "billing": "operator"}]},
    )
    start = datetime.now(timezone.utc) + timedelta(days=3)
    option = product["pricing_options"][0]
    created = await call(
        "create_media_buy",
        {
            "idempotency_key": str(uuid.uuid4()),
            "account": ACCOUNT,
            "brand": ACCOUNT["brand"],
            "start_time": start.isoformat(),
            "end_time": (start + timedelta(days=7)).isoformat(),
            "packages": [
                {
                    "product_id": product["product_id"],
                    "pricing_option_id": option["pricing_option_id"],
                    "budget": max(500, option.get("min_spend_per_package") or 0),
                }
            ],
        },
    )
    listed = await call("get_media_buys", {"account": ACCOUNT, "media_buy_ids": [created["media_buy_id"]]})
    return {
        "products": [each["product_id"] for each in found["products"]],
        "created": created["media_buy_id"],
        "listed": [each["media_buy_id"] for each in listed["media_buys"]],
    }


async def over_mcp(url: str):
    """Connects, lists the tools and buys."""
    async with httpx2.AsyncClient(headers=headers(), timeout=120) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]

            async def call(task, arguments):
                result = await client.call_tool(task, arguments)
                if result.is_error:
                    raise RuntimeError(f"{task}: {result.structured_content}")
                return result.structured_content

            return {"tools": tools, **await buy(call)}


async def over_a2a(url: str):
    """Reads the agent card and buys."""
    async with httpx.AsyncClient(headers=headers(), timeout=120) as http:
        card = await A2ACardResolver(httpx_client=http, base_url=url).get_agent_card()
        client = ClientFactory(ClientConfig(httpx_client=http, streaming=False)).create(card)

        async def call(task, arguments):
            data = ParseDict({"skill": task, "parameters": arguments}, Value())
            message = a2a.Message(message_id=str(uuid.uuid4()), role=a2a.Role.ROLE_USER, parts=[a2a.Part(data=data)])
            async for event in client.send_message(a2a.SendMessageRequest(message=message)):
                last = event
            answer = MessageToDict(last)["task"]
            if answer["status"]["state"] != "TASK_STATE_COMPLETED":
                raise RuntimeError(f"{task}: {answer}")
            return next(part["data"] for part in answer["artifacts"][0]["parts"] if "data" in part)

        return {"skills": [skill.id for skill in card.skills], **await buy(call)}


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mcp", required=True)
    parser.add_argument("--a2a", required=True)
    arguments = parser.parse_args()
    print(json.dumps({"mcp": await over_mcp(arguments.mcp), "a2a": await over_a2a(arguments.a2a)}))


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    asyncio.run(main())
