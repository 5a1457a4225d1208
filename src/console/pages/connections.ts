import { disconnectAssistant, listConnectedAssistants } from '../../operator/oauth/tenant-grants.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { moment } from '../format.ts'
import { type Html, html } from '../html.ts'
import { agentAddresses, connectButtons, copyable } from '../parts/connect.ts'
import { act, empty, heading, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'

/** How buyers connect, and the assistants that people connected by logging in. */
export const connectionRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/connections', listConnectedAssistants, connectionsPage),
  actRoute('POST', '/connections/{grant}/end', disconnectAssistant, endConnection),
]

async function connectionsPage(call: TenantCall): Promise<Answer> {
  const { operator, tenant, base } = call
  const { mcp, card } = agentAddresses(operator, tenant)
  const body = html`${heading(
    'Connections',
    html`<a class="button" href="${base}/checks">Own checks</a><a class="button" href="${base}/trusted-match">Trusted Match</a>`,
    'What a buyer needs to connect, and the assistants that are connected.',
  )}
<section class="panel"><h2>Send this to a buyer</h2>
<dl class="facts wide"><div><dt>MCP address</dt><dd>${copyable(mcp, 'the MCP address')}</dd></div><div><dt>A2A agent card</dt><dd>${copyable(card, 'the address of the agent card')}</dd></div></dl>
${connectButtons(tenant.name, mcp)}
<p>A key comes from <a href="${base}/buyers">Buyers and keys</a>: send it by another way than this page. ${tenant.public_default ? html`Without a key a buyer sees the public products.` : ''}</p></section>
<section class="panel"><h2>Connected assistants</h2>${await assistants(call)}</section>`
  return page('Connections', body)
}

async function assistants(call: TenantCall): Promise<Html> {
  const { operator, base } = call
  if (!operator.config.oauth.enabled)
    return empty(
      'Logging in is off',
      html`With <code>oauth.enabled</code> people connect an assistant by logging in; the connections are listed here.`,
    )
  const { items: found } = await doAct(call, listConnectedAssistants, {})
  if (found.length === 0)
    return empty('No assistant is connected', 'People who have a user name connect one by logging in; it appears here.')
  const rows = found.map(({ grant, assistant, user, buyer, granted_at: at, used_at: used }) => [
    assistant,
    user,
    buyer === null ? '–' : html`<a href="${base}/buyers/${encodeURIComponent(buyer)}">${buyer}</a>`,
    moment(at),
    used === null ? '–' : moment(used),
    may(call, disconnectAssistant) &&
      act(call, `${base}/connections/${encodeURIComponent(grant)}/end`, 'Disconnect', {
        kind: 'danger',
        name: `Disconnect ${assistant} of ${user}`,
      }),
  ])
  return table('Connected assistants', ['Assistant', 'Connected by', 'Buys as', 'Since', 'Last log-in', ''], rows)
}

async function endConnection(call: TenantCall): Promise<Answer> {
  await doAct(call, disconnectAssistant, { grant: call.params.grant })
  return redirect(`${call.base}/connections`, 'disconnected')
}
