import type { Of } from '../../operator/shape.ts'
import { listMatchKeys } from '../../operator/trusted-match/key-acts.ts'
import { DEVELOPMENT_ONLY } from '../../operator/trusted-match/match-provider-health.ts'
import { packagesText } from '../../operator/trusted-match/matched-packages.ts'
import { listMatchHealth } from '../../operator/trusted-match/provider-acts.ts'
import { actRoute, doAct } from '../do-act.ts'
import { moment } from '../format.ts'
import { type Html, html } from '../html.ts'
import { badge, empty, heading, statusBadge, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, type TenantCall } from '../route.ts'

/** Providers of Trusted Match, whether they are ready, and the keys that the router signs with. */
export const trustedMatchRoutes: readonly ConsoleRoute[] = [actRoute('GET', '/trusted-match', listMatchHealth, matchPage)]

const HEALTH = {
  ready: badge('ready', 'good'),
  not_ready: badge('not ready', 'bad'),
  not_judged: badge('not judged'),
  not_asked: badge('not asked'),
} as const

async function matchPage(call: TenantCall): Promise<Answer> {
  const [{ items: providers }, { items: keys }] = await Promise.all([
    doAct(call, listMatchHealth, {}),
    doAct(call, listMatchKeys, {}),
  ])
  const rows = providers.map(providerRow)
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

type ShownProvider = Of<typeof listMatchHealth.answer>['items'][number]

function providerRow({ registration, development_only, synced_at, fault, health, reason, packages }: ShownProvider) {
  const { provider_id: id, endpoint, status = 'active', context_match, identity_match } = registration
  const matches = [context_match === true && 'contexts', identity_match === true && 'users'].filter(Boolean).join(', ')
  return [
    html`<span class="long">${id}</span><small class="long">${endpoint}</small>${note(development_only ? DEVELOPMENT_ONLY : undefined)}`,
    matches,
    statusBadge(status),
    html`${HEALTH[health]}${note(reason)}`,
    html`${synced_at === null ? '' : moment(synced_at)}${note(packages && packagesText(packages))}${note(fault ?? undefined)}`,
  ]
}

function note(text: string | undefined): Html | false {
  return text !== undefined && html`<small>${text}</small>`
}
