import type { BuyerStatus } from '../../domain/identity/principal.ts'
import { addBuyer } from '../../operator/buyers/add-buyer.ts'
import { setBuyerStatus } from '../../operator/buyers/change-buyer.ts'
import { listBuyers } from '../../operator/buyers/list-buyers.ts'
import { createKey } from '../../operator/keys/create-key.ts'
import type { IssuedKey } from '../../operator/keys/issue-key.ts'
import { listKeys } from '../../operator/keys/list-keys.ts'
import { revokeKey } from '../../operator/keys/revoke-key.ts'
import { rotateKey } from '../../operator/keys/rotate-key.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { actRoute, carriedOut, doAct, makeOnce, may } from '../do-act.ts'
import { tickedIn, written } from '../form-text.ts'
import { moment } from '../format.ts'
import { type Html, html } from '../html.ts'
import { agentAddresses, copyable } from '../parts/connect.ts'
import { act, badge, choice, csrfField, empty, facts, field, heading, onceField, statusBadge, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'
import { buyerAccountsPanel } from './buyer-accounts.ts'
import { creativeRulePanel, creativeRuleRoutes } from './creative-rules.ts'

/** Buyers, their keys and their accounts. */
export const buyerRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/buyers', listBuyers, buyersPage),
  actRoute('POST', '/buyers', addBuyer, createBuyer),
  actRoute('GET', '/buyers/{id}', listBuyers, (call) => buyerPage(call)),
  actRoute('POST', '/buyers/{id}/suspend', setBuyerStatus, (call) => changeStatus(call, 'suspended')),
  actRoute('POST', '/buyers/{id}/resume', setBuyerStatus, (call) => changeStatus(call, 'active')),
  actRoute('POST', '/buyers/{id}/keys', createKey, addKey),
  actRoute('POST', '/buyers/{id}/keys/{key}/rotate', rotateKey, replaceKey),
  actRoute('POST', '/buyers/{id}/keys/{key}/revoke', revokeKey, endKey),
  ...creativeRuleRoutes((call) => buyerPage(call)),
]

async function buyersPage(call: TenantCall): Promise<Answer> {
  const { base } = call
  const [{ items: buyers }, { items: keys }] = await Promise.all([doAct(call, listBuyers, {}), doAct(call, listKeys, {})])
  const rows = buyers.map((buyer) => {
    const own = keys.filter((key) => key.buyer === buyer.buyer && key.status === 'active')
    const used = own
      .map(({ last_used_at: at }) => at ?? '')
      .toSorted()
      .at(-1)
    return [
      html`<a href="${base}/buyers/${encodeURIComponent(buyer.buyer)}">${buyer.name}</a><small>${buyer.buyer}</small>`,
      html`${statusBadge(buyer.status)}${buyer.sandbox && html` ${badge('sandbox')}`}`,
      own.length,
      used ? moment(used) : 'never',
      buyer.scopes.join(', '),
    ]
  })
  const form = html`<section class="panel narrow"><h2>Add a buyer</h2><form method="post" action="${base}/buyers">${csrfField(call)}
${field('id', 'Id', { of: addBuyer.fields.buyer, required: true, hint: 'It cannot be changed.' })}
${field('name', 'Name', { of: addBuyer.fields.name })}
${field('url', 'Address of its agent', { name: 'agent_url', type: 'url', of: addBuyer.fields.agent_url, hint: 'Optional, for example https://agent.example.com.' })}
<label class="option"><input type="checkbox" name="sandbox" value="yes"> Sandbox: simulated money only</label>
<p></p><button class="primary">Add the buyer</button></form></section>`
  const list =
    rows.length === 0
      ? empty('No buyers yet')
      : table('Buyers', ['Buyer', 'Status', { title: 'Keys', numeric: true }, 'Last used', 'May'], rows)
  return page('Buyers and keys', html`${heading('Buyers and keys')}${list}${may(call, addBuyer) && form}`)
}

/** `issued`: a key that was just made; no other page shows it. */
async function buyerPage(call: TenantCall, issued?: IssuedKey): Promise<Answer> {
  const { params, base } = call
  const buyerId = params.id ?? ''
  const buyer = (await doAct(call, listBuyers, {})).items.find((each) => each.buyer === buyerId)
  if (!buyer) throw new AdcpError('REFERENCE_NOT_FOUND', `there is no buyer ${buyerId}`)
  const path = `${base}/buyers/${encodeURIComponent(buyerId)}`
  const { items: keys } = await doAct(call, listKeys, { buyer: buyerId })
  const rows = keys.map((key) => [
    html`<code>${key.token}</code>`,
    statusBadge(key.status),
    key.scopes.join(', '),
    moment(key.created_at),
    key.last_used_at === null ? 'never' : moment(key.last_used_at),
    key.expires_at === null ? 'no end' : moment(key.expires_at),
    key.status === 'active' &&
      html`${may(call, rotateKey) && act(call, `${path}/keys/${key.key_id}/rotate`, 'Rotate', { name: `Rotate ${key.token}` })} ${may(call, revokeKey) && act(call, `${path}/keys/${key.key_id}/revoke`, 'Revoke', { kind: 'danger', name: `Revoke ${key.token}` })}`,
  ])
  const status =
    buyer.status === 'active'
      ? act(call, `${path}/suspend`, 'Suspend', { kind: 'danger' })
      : act(call, `${path}/resume`, 'Resume')
  const body = html`${heading(html`${buyer.name} ${statusBadge(buyer.status)}`, may(call, setBuyerStatus) ? status : undefined, buyer.buyer)}
${issued && newKey(call, issued)}
<section class="panel">${facts([
    ['Address of its agent', buyer.agent_url ?? undefined],
    ['May', buyer.scopes.join(', ')],
    ['Sandbox', buyer.sandbox ? 'yes: simulated money only' : 'no'],
    ['Has to sign changes', buyer.signing_required ? 'yes' : 'no'],
    ['Added', moment(buyer.created_at)],
    ['Orders', html`<a href="${base}/orders?buyer=${encodeURIComponent(buyerId)}">Orders of this buyer</a>`],
    ['Activity', html`<a href="${base}/activity?who=${encodeURIComponent(buyerId)}">What it did</a>`],
    ['Calls', html`<a href="${path}/calls">Its calls, with requests and answers</a>`],
  ])}</section>
<section class="panel"><h2>Keys</h2>${rows.length === 0 ? html`<p>No key yet.</p>` : table('Keys', ['Key', 'Status', 'May', 'Made', 'Last used', 'Ends', ''], rows)}
${may(call, createKey) && keyForm(call, path)}</section>
${await buyerAccountsPanel(call, buyerId)}
${await creativeRulePanel(call, buyerId)}`
  return page(buyer.name, body)
}

function keyForm(call: TenantCall, path: string): Html {
  return html`<details><summary>Make a key</summary><form method="post" action="${path}/keys">${csrfField(call)}${onceField(call)}
${field('scopes', 'May', { hint: 'Comma-separated scopes such as adcp:products,adcp:media_buys; empty: everything.' })}
${choice(
  'expires',
  'Ends',
  [
    ['', 'No end'],
    ['30d', 'In 30 days'],
    ['90d', 'In 90 days'],
    ['365d', 'In a year'],
  ],
  '90d',
)}
<button class="primary">Make the key</button></form></details>`
}

function newKey({ operator, tenant, base }: TenantCall, { token, expires_at: end }: IssuedKey): Html {
  const { mcp } = agentAddresses(operator, tenant)
  return html`<section class="notice good" role="status"><p><strong>This is the only time that the key is shown.</strong> Send it to the buyer by a safe way.</p>
<p>${copyable(token, 'the key')}</p><p>Address: <code>${mcp}</code>${end !== null && html`, until ${moment(end)}`}. <a href="${base}/connections">How a buyer connects</a></p></section>`
}

async function createBuyer(call: TenantCall): Promise<Answer> {
  const { form, base } = call
  const [buyer = '', name, agent_url] = ['id', 'name', 'agent_url'].map((field) => written(form, field))
  await doAct(call, addBuyer, { buyer, name, agent_url, sandbox: tickedIn(form, 'sandbox') })
  return redirect(`${base}/buyers/${encodeURIComponent(buyer)}`, 'added')
}

async function changeStatus(call: TenantCall, status: BuyerStatus): Promise<Answer> {
  const buyer = call.params.id ?? ''
  await doAct(call, setBuyerStatus, { buyer, status })
  return redirect(`${call.base}/buyers/${encodeURIComponent(buyer)}`, status)
}

/** The answer shows the key itself: a redirect could only carry it in an address. */
async function addKey(call: TenantCall): Promise<Answer> {
  const { params, form } = call
  const [scopes, expires] = ['scopes', 'expires'].map((field) => written(form, field))
  const made = await makeOnce(call, createKey, { buyer: params.id, scopes, expires })
  return buyerPage(carriedOut(call), made)
}

/** The old key works for one more day. */
async function replaceKey(call: TenantCall): Promise<Answer> {
  const { id: buyer, key } = call.params
  return buyerPage(call, await doAct(call, rotateKey, { key, buyer }))
}

async function endKey(call: TenantCall): Promise<Answer> {
  const { id: buyer = '', key } = call.params
  await doAct(call, revokeKey, { key, buyer })
  return redirect(`${call.base}/buyers/${encodeURIComponent(buyer)}`, 'revoked')
}
