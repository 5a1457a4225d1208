import type { IncomingMessage } from 'node:http'
import { publicOrigin } from '../../config/config.ts'
import type { OperatorContext } from '../../operator/operator-context.ts'
import { listTenants } from '../../operator/tenants/list-tenants.ts'
import type { ConsoleParts } from '../console-parts.ts'
import { count } from '../format.ts'
import { type Html, html } from '../html.ts'
import { agentAddresses, connectButtons, copyable } from '../parts/connect.ts'
import { badge, field, table } from '../parts/parts.ts'
import { seenProducts } from '../parts/seen-products.ts'
import { type Answer, CONSOLE, page } from '../route.ts'

/** Products of the page; the agent has all of them. */
const SHOWN_PRODUCTS = 6

/** What this server is, for people; programs get the same as JSON. */
export async function landingPage(operator: OperatorContext, askAs: ConsoleParts['askAs']): Promise<Answer> {
  const tenant = (await listTenants(operator)).find(({ public_default: isDefault }) => isDefault)
  const { mcp, card } = agentAddresses(operator)
  const title = tenant ? `Buy from ${tenant.name}` : 'AdCP sales agent'
  const body = html`<div class="landing"><header><h1>${title}</h1>
<p class="lead">A sales agent of the Ad Context Protocol: buyers' agents find products here, place orders and read how they deliver. ${badge('ready', 'good')}</p></header>
<section class="card"><h2>Connect an agent or an assistant</h2>
<dl class="facts wide"><div><dt>MCP address</dt><dd>${copyable(mcp, 'the MCP address')}</dd></div><div><dt>A2A agent card</dt><dd>${copyable(card, 'the address of the agent card')}</dd></div></dl>
${connectButtons(tenant?.name ?? 'Sales agent', mcp)}
<p>It shows public products at once; to buy, the publisher gives you a key.</p></section>
${tenant && (await publicProducts(tenant.tenant, askAs))}
<section class="card"><h2>Who may sell for whom</h2>
<form method="get" action="/directory">${field('q', 'Address of an agent, or domain of a publisher', { hint: `For example ${mcp} or news.example`, required: true })}<button>Look it up</button></form></section>
<p class="soft"><a href="${CONSOLE}">Sign in</a> as one of the publisher's people · <a href="/openapi.json">OpenAPI of the directory</a> · <a href="/.well-known/adagents.json">adagents.json</a></p></div>`
  return page(title, body)
}

/** Exactly what a caller without a key gets. */
async function publicProducts(tenantId: string, askAs: ConsoleParts['askAs']): Promise<Html | undefined> {
  const request = { buying_mode: 'wholesale', pagination: { max_results: SHOWN_PRODUCTS } }
  const { isError, answer } = await askAs(tenantId, undefined, { task: 'get_products', arguments: request })
  const { products, total } = seenProducts(answer)
  if (isError || products.length === 0) return undefined
  const rows = products.map(({ id, name, delivery, prices }) => [
    html`${name}${name !== id && html`<small>${id}</small>`}`,
    delivery,
    prices.length === 0 ? 'on request' : prices.map((price) => html`<div>${price}</div>`),
  ])
  const others = (total ?? 0) - rows.length
  return html`<section class="card"><h2>Public products</h2>${table('Public products', ['Product', 'Delivery', 'Price'], rows)}${others > 0 && html`<p class="soft">And ${count(others)} more: ask the agent.</p>`}</section>`
}

/** The same for programs. */
export function landingDocument(operator: OperatorContext): object {
  const { mcp, card } = agentAddresses(operator)
  return {
    name: 'AdCP sales agent',
    mcp_url: mcp,
    agent_card_url: card,
    openapi_url: `${publicOrigin(operator.config)}/openapi.json`,
  }
}

/** Browsers ask for HTML by name. */
export function wantsHtml({ headers }: IncomingMessage): boolean {
  return (headers.accept ?? '').includes('text/html')
}
