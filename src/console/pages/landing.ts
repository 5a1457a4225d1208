import type { IncomingMessage } from 'node:http'
import { publicOrigin } from '../../config/config.ts'
import type { OperatorContext } from '../../operator/operator-context.ts'
import { listTenants } from '../../operator/tenants/list-tenants.ts'
import { html } from '../html.ts'
import { field } from '../parts/parts.ts'
import { type Answer, CONSOLE, page } from '../route.ts'

/** What this server is, for people; programs get the same as JSON. */
export async function landingPage(operator: OperatorContext): Promise<Answer> {
  const { mcp, card } = addresses(operator)
  const tenant = (await listTenants(operator)).find(({ public_default: isDefault }) => isDefault)
  const title = tenant ? `Buy from ${tenant.name}` : 'AdCP sales agent'
  const body = html`<div class="landing"><div class="card"><h1>${title}</h1>
<p>This is a sales agent of the Ad Context Protocol: buyers' agents find products here, place orders and read how they deliver.</p>
<h2>Connect an agent or an assistant</h2>
<p>MCP: <code>${mcp}</code><br>A2A: <code>${card}</code></p>
<p>Add the MCP address as a connector of your assistant. It sees public products at once; to buy, the publisher gives you a key.</p></div>
<div class="card"><h2>Who may sell for whom</h2>
<form class="filters" method="get" action="/directory">${field('q', 'Address of an agent, or domain of a publisher', { hint: `For example ${mcp} or news.example`, required: true })}<button>Look it up</button></form></div>
<p><a href="${CONSOLE}">Sign in</a> as one of the publisher's people.</p></div>`
  return page(title, body)
}

/** The same for programs. */
export function landingDocument(operator: OperatorContext): object {
  const { origin, mcp, card } = addresses(operator)
  return { name: 'AdCP sales agent', mcp_url: mcp, agent_card_url: card, openapi_url: `${origin}/openapi.json` }
}

/** Browsers ask for HTML by name. */
export function wantsHtml({ headers }: IncomingMessage): boolean {
  return (headers.accept ?? '').includes('text/html')
}

function addresses({ config }: OperatorContext) {
  const origin = publicOrigin(config)
  return { origin, mcp: `${origin}/mcp`, card: `${origin}/.well-known/agent-card.json` }
}
