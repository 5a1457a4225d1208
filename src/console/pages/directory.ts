import { showIdentity } from '../../operator/identity/show-identity.ts'
import { moment } from '../format.ts'
import { html } from '../html.ts'
import { heading, statusBadge, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, READERS, type TenantCall, tenantRoute } from '../route.ts'

/** What others find of the publisher: adagents.json, brand.json and the keys that sign. */
export const directoryRoutes: readonly ConsoleRoute[] = [tenantRoute('GET', '/directory', READERS, directoryPage)]

async function directoryPage({ operator, tenantId, tenant }: TenantCall): Promise<Answer> {
  const identity = await showIdentity(operator)
  const file = identity.adagents.find((each) => each.tenant === tenantId)
  const keys = identity.keys.map(({ kid, purpose, state, created_at: at }) => [
    html`<code>${kid}</code>`,
    purpose,
    statusBadge(state),
    moment(at),
  ])
  const problems =
    identity.problems.length > 0 &&
    html`<div class="notice warn"><p>Before these documents can be published:</p><ul>${identity.problems.map((text) => html`<li>${text}</li>`)}</ul></div>`
  const body = html`${heading('Directory and identity', undefined, 'Who may sell for you, and how others check what you sign.')}
${problems}
<section class="panel"><h2>adagents.json</h2><p>Served at <code>${file?.url}</code>; publish it at <code>https://${tenant.domain}/.well-known/adagents.json</code>, or let that address redirect here.</p>
<details><summary>The document</summary><pre>${JSON.stringify(file?.document ?? {}, undefined, 2)}</pre></details></section>
<section class="panel"><h2>brand.json</h2><p>Served at <code>${identity.brand_json.url}</code>.</p>
<details><summary>The entry of this agent</summary><pre>${JSON.stringify(identity.brand_json.agents_entry, undefined, 2)}</pre></details></section>
<section class="panel"><h2>Signing keys</h2><p>Published at <code>${identity.jwks_uri}</code>.</p>${table('Signing keys', ['Key', 'Purpose', 'State', 'Made'], keys)}</section>`
  return page('Directory and identity', body)
}
