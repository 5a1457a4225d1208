import { listAdServers, testAdServers } from '../../operator/ad-servers/show-ad-servers.ts'
import { setCreativeReview } from '../../operator/creatives/review-creatives.ts'
import { setTenant } from '../../operator/tenants/set-tenant.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { moment, words } from '../format.ts'
import { type Html, html } from '../html.ts'
import { act, badge, choice, csrfField, facts, field, heading, table } from '../parts/parts.ts'
import {
  ADMINISTRATORS,
  type Answer,
  type ConsoleRoute,
  page,
  redirect,
  SELLERS,
  type TenantCall,
  tenantRoute,
} from '../route.ts'

/** What administrators change of a publisher, and the test of its ad servers. */
export const publisherSettingsRoutes: readonly ConsoleRoute[] = [
  tenantRoute('POST', '/settings/publisher', ADMINISTRATORS, savePublisher),
  tenantRoute('POST', '/settings/ad-servers/test', SELLERS, testPage),
]

const REVIEWS = [
  ['automatic', 'By the rules of this server'],
  ['manual', 'By a person, each of them'],
] as const

/** Name, domain, time zone, currency, and who reviews creatives. */
export function publisherForm(call: TenantCall): Html {
  const { base, tenant, operator } = call
  const { settings } = tenant
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')].map(
    (zone) => [zone, zone] as const,
  )
  const currencies = Intl.supportedValuesOf('currency').map((code) => [code, code] as const)
  return html`<section class="panel"><h2>Publisher</h2><form method="post" action="${base}/settings/publisher">${csrfField(call)}
${field('name', 'Name', { value: tenant.name, required: true })}
${field('domain', 'Domain', { value: tenant.domain, required: true })}
${choice('time_zone', 'Time zone', [['default', `As the deployment (${operator.config.ads.timeZone})`], ...zones], settings.time_zone ?? 'default')}
${choice('currency', 'Currency', [['default', 'That of each price'], ...currencies], settings.currency ?? 'default')}
${choice('creative_review', 'Creatives are reviewed', REVIEWS, settings.creative_review)}
${!tenant.public_default && html`<label class="option"><input type="checkbox" name="public" value="yes"> Answers callers who name no publisher</label><p></p>`}
<button class="primary">Save</button><p class="hint">Flights, dayparts, reports and months count days of the time zone.</p></form></section>`
}

async function savePublisher({ operator, tenantId, tenant, form, base }: TenantCall): Promise<Answer> {
  const textOf = (name: string) => (form.get(name) ?? '').trim()
  await setTenant(operator, tenantId, {
    name: textOf('name'),
    domain: textOf('domain'),
    timeZone: textOf('time_zone'),
    currency: textOf('currency'),
    ...(form.get('public') === 'yes' && { isPublicDefault: true }),
  })
  const review = reviewOf(textOf('creative_review'))
  if (review !== tenant.settings.creative_review) await setCreativeReview(operator, tenantId, review)
  return redirect(`${base}/settings`, 'changed')
}

function reviewOf(text: string): 'automatic' | 'manual' {
  const found = REVIEWS.find(([value]) => value === text)
  if (found) return found[0]
  const message = `"${text}" is not valid; valid: ${REVIEWS.map(([value]) => value).join(', ')}`
  throw new AdcpError('INVALID_REQUEST', message, { field: 'creative_review' })
}

/** Where orders are booked, and whether what lies there is as it should be. */
export async function adServerPanel(call: TenantCall): Promise<Html> {
  const { operator, tenantId, base, role } = call
  const servers = await listAdServers(operator, tenantId)
  const rows = servers.map((server) => [
    html`${server.name}<small>${server.description}</small>`,
    server.products ? server.products.join(', ') : 'every other product',
    server.simulated ? badge('simulated', 'warn') : server.reconciled ? badge('reconciled', 'good') : badge('booked directly'),
    server.drift === undefined ? '–' : words(server.drift),
    server.credentials_stored_at === null ? '–' : moment(server.credentials_stored_at),
  ])
  const columns = ['Ad server', 'Products', 'Orders', 'When an order differs', 'Credentials stored']
  const test =
    servers.some(({ reconciled }) => reconciled) &&
    SELLERS.includes(role) &&
    act(call, `${base}/settings/ad-servers/test`, 'Test the connections')
  return html`<section class="panel"><h2>Ad servers</h2>${table('Ad servers', columns, rows)}${test}
<p class="hint">Ad servers are set up in the configuration, or with <code>sales-agent adservers add</code>.</p></section>`
}

async function testPage({ operator, tenantId, base }: TenantCall): Promise<Answer> {
  const answers = await testAdServers(operator, tenantId)
  const rows = answers.map(({ name, ok, reason }) => [
    name,
    ok ? badge('answers', 'good') : badge('does not answer', 'bad'),
    reason,
  ])
  const back = html`<a class="button" href="${base}/settings">Back to the settings</a>`
  return page(
    'Test of the ad servers',
    html`${heading('Test of the ad servers', back)}${table('Ad servers', ['Ad server', 'Outcome', 'Reason'], rows)}`,
  )
}

/** How long data about people is stored. The deployment's configuration sets it, for every publisher. */
export function retentionPanel({ operator, tenant }: TenantCall): Html {
  const { audienceRetentionDays, eventRetentionDays, minimumAudienceSize } = operator.config.privacy
  return html`<section class="panel"><h2>Personal data</h2>${facts([
    ['Members of audiences', `erased ${audienceRetentionDays} days after their last upload`],
    ['Conversion events', `identifiers are erased after ${eventRetentionDays} days`],
    ['Smallest audience that is sold', `${minimumAudienceSize} members`],
    ['Identifiers', 'stored as keyed hashes, never as they were sent'],
  ])}<p class="hint">Set by <code>privacy</code> in the configuration. To erase what is stored of one person: <code>sales-agent privacy erase --tenant ${tenant.tenant}</code>.</p></section>`
}
