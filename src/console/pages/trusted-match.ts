import { showMatchKeys } from '../../operator/trusted-match/match-keys.ts'
import { type MatchProviderHealth, showMatchHealth } from '../../operator/trusted-match/match-provider-health.ts'
import { type ShownMatchProvider, showMatchProviders } from '../../operator/trusted-match/match-providers.ts'
import { moment } from '../format.ts'
import { type Html, html } from '../html.ts'
import { badge, empty, heading, statusBadge, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, READERS, type TenantCall, tenantRoute } from '../route.ts'

/** Providers of Trusted Match, whether they are ready, and the keys that the router signs with. */
export const trustedMatchRoutes: readonly ConsoleRoute[] = [tenantRoute('GET', '/trusted-match', READERS, matchPage)]

const HEALTH = {
  ready: badge('ready', 'good'),
  not_ready: badge('not ready', 'bad'),
  not_judged: badge('no GET /health'),
  not_asked: badge('not asked'),
} as const

async function matchPage({ operator, tenantId }: TenantCall): Promise<Answer> {
  const [providers, health, keys] = await Promise.all([
    showMatchProviders(operator, tenantId),
    showMatchHealth(operator, tenantId),
    showMatchKeys(operator, tenantId),
  ])
  const states = new Map(health.map((each) => [each.provider_id, each]))
  const rows = providers.map((each) => providerRow(each, states.get(each.registration.provider_id)))
  const columns = ['Provider', 'Matches', 'Status', 'Health', 'Packages synced']
  const list =
    rows.length === 0
      ? empty('No providers', '"sales-agent trusted-match providers add" registers one.')
      : table('Providers', columns, rows)
  const signing = keys.map(({ kid, created_at, retired_at, revoked_at }) => [
    html`<code>${kid}</code>`,
    moment(created_at),
    retired_at === null ? 'signs' : moment(retired_at),
    revoked_at === null ? '' : moment(revoked_at),
  ])
  const signingKeys =
    signing.length > 0 &&
    html`<section class="panel"><h2>Keys of the router</h2>${table('Keys of the router', ['Key', 'Made', 'Retired', 'Revoked'], signing)}</section>`
  return page(
    'Trusted Match',
    html`${heading('Trusted Match', undefined, 'Providers that the router asks.')}${list}${signingKeys}`,
  )
}

function providerRow({ registration, synced_at, fault }: ShownMatchProvider, found: MatchProviderHealth | undefined) {
  const { provider_id: id, endpoint, status = 'active', context_match, identity_match } = registration
  const matches = [context_match === true && 'contexts', identity_match === true && 'users'].filter(Boolean).join(', ')
  return [
    html`<span class="long">${id}</span><small class="long">${endpoint}</small>`,
    matches,
    statusBadge(status),
    html`${found ? HEALTH[found.health] : ''}${note(found?.reason)}`,
    html`${synced_at === null ? '' : moment(synced_at)}${note(fault ?? undefined)}`,
  ]
}

function note(text: string | undefined): Html | false {
  return text !== undefined && html`<small>${text}</small>`
}
