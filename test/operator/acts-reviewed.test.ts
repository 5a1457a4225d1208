import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { ADMIN_ROLES } from '../../src/domain/identity/admin-role.ts'
import { ACTS } from '../../src/operator/acts.ts'
import { NOT_PLAYED, PARTS } from '../support/memberless-acts.ts'

/**
 * What each act may: read over before it is changed, since a line that moves gives people rights, takes them away, or ends the audit of an act.
 * By whether it changes something, what it is about and whose it is; an area with its acts on a line.
 */
const REVIEWED: Readonly<Record<string, readonly string[]>> = {
  'changes, deployment: administrator': [
    'admin-keys: create-for',
    'directory: add block remove remove-mirror subscribe unblock unsubscribe',
    'identity: init rotate',
    'keys: revoke-signing',
    'oauth: end-grant remove-client rotate-key',
    'people: invite-everywhere reset-factors-everywhere revoke',
    'registry: add remove',
    'tenants: add remove set set-public',
  ],
  'changes, publisher: ad_operations, administrator': [
    'accounts: grant revoke',
    'adopted-orders: adopt',
    'adservers: adopt gone import report sync',
    'approvals: approve ask decide-several reject',
    'brands: import',
    'creatives: approve preview-link purge reject remove-rule rule',
    'direct-orders: put state',
    'directory: join',
    'formats: import remove',
    'governance: decide revoke',
    'make-goods: offer',
    'orders: cancel change-several extend note pause resume set-terms',
    'placements: remove save',
    'products: archive change-several import remove-season restore save set set-season',
    'rights: approve reject revoke',
    'signals: import',
    'webhooks: redeliver',
  ],
  'changes, publisher: administrator': [
    'admin-keys: create revoke',
    'adservers: add credentials remove remove-credentials save-drafts set test',
    'approvals: policy',
    'buyers: add add-signing-keys answer-text billing remove-signing-keys require-signing status',
    'certificates: pin unpin',
    'changes: subscribe test unsubscribe',
    'creatives: review',
    'delivery: rebuild',
    'jwt-issuers: add map remove',
    'keys: create revoke rotate',
    'make-goods: policy',
    'notifications: remove set test',
    'oauth: revoke',
    'people: invite remove reset-factors role uninvite',
    'privacy: erase',
    'sessions: erase',
    'settings: set',
    'trusted-match: add-provider remove-provider revoke-key rotate-key rotate-sync-key set-provider',
    'users: add allow disallow revoke',
  ],
  'changes, publisher: finance, ad_operations, administrator': [
    'accounts: status',
    'make-goods: decide',
    'reports: forget save schedule settle unschedule',
  ],
  'changes, publisher: finance, administrator': [
    'accounts: credit payment take-back-payment',
    'billing: add-charge close credit record-payment record-refund set-details take-back-charge take-back-payment take-back-refund',
    'make-goods: credit',
  ],
  'reads, deployment: administrator': [
    'audit: export-unknown list-unknown verify-all',
    'buyers: list-signing-keys',
    'directory: crawl explain list-exclusions list-mirrors list-publishers list-subscribers stats status',
    'doctor: ad-servers agent store',
    'identity: show',
    'oauth: clients grants',
    'people: everybody',
    'registry: list refresh',
    'tenants: list',
  ],
  'reads, publisher: ad_operations, administrator': ['adopted-orders: preview', 'direct-orders: preview'],
  'reads, publisher: administrator': [
    'changes: list',
    'notifications: list sent',
    'people: factors',
    'trusted-match: check-provider',
  ],
  'reads, publisher: everybody': [
    'accounts: list payments show',
    'adagents: diff show validate',
    'admin-keys: list',
    'adopted-orders: show',
    'adservers: check drift existing forecast inventory list order-sheet orders sheet suggest',
    'approvals: decided list open show show-policy try-policy',
    'audit: export list verify',
    'billing: accruals adjustments ageing charges details file invoices journal preview preview-lines reconciliation reconciliation-file refunds show',
    'brands: export list',
    'buyers: list',
    'certificates: list',
    'checks: list show',
    'creatives: examine list list-rules preview show show-rules',
    'delivery: report',
    'direct-orders: list show',
    'directory: own verify',
    'formats: export list',
    'governance: list show verify',
    'identity: own',
    'jwt-issuers: list',
    'keys: list',
    'make-goods: show show-policy',
    'oauth: assistants',
    'orders: copy history list notes preview records shortfalls show terms',
    'people: invitations list',
    'placements: list report show',
    'products: export history inventory list prices show visibility',
    'reports: open overview saved schedules statements',
    'revenue: show',
    'rights: list pending',
    'settings: show',
    'signals: export list',
    'trusted-match: list-health list-keys list-providers',
    'users: list',
    'webhooks: list show',
  ],
  'reads, publisher: finance, ad_operations, administrator': ['reports: recipients'],
}

it('an act without an entry of its own in the audit log is one of those that carry out others', () => {
  const inParts = ACTS.filter((act) => act.inParts).map(({ name }) => name)
  expect(inParts.toSorted()).toEqual(NOT_PLAYED[PARTS]?.toSorted())
})

it('every act has the roles, and changes what the reviewed list says', () => {
  const found: Record<string, Record<string, string[]>> = {}
  for (const { name, changes, scope, roles } of ACTS) {
    const whose = roles.length === ADMIN_ROLES.length ? 'everybody' : roles.join(', ')
    const rights = `${changes ? 'changes' : 'reads'}, ${scope}: ${whose}`
    const [area = '', act = ''] = name.split('.')
    const areas = found[rights] ?? {}
    found[rights] = { ...areas, [area]: [...(areas[area] ?? []), act].toSorted() }
  }
  const lines = (areas: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(areas).map(([area, acts]) => `${area}: ${acts.join(' ')}`)
  const listed = Object.fromEntries(Object.entries(found).map(([rights, areas]) => [rights, lines(areas).toSorted()]))
  expect(listed).toEqual(REVIEWED)
})

/** What belongs to one person, or to a process or file of the machine: roles by the name of the act. */
const OF_A_PERSON: Readonly<Record<string, string>> = {
  'calls.show': 'READERS',
  'calls.watch': 'SELLERS',
  'creatives.upload': 'SELLERS',
  'doctor.publisher': 'SELLERS',
  'notifications.list-own': 'READERS',
  'notifications.set-own': 'READERS',
}

it('what is done by one person alone, without an operation of the admin API, has the roles that the reviewed list says', () => {
  const root = fileURLToPath(new URL('../../src/operator', import.meta.url))
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))
  const found = files.flatMap((path) =>
    [...readFileSync(`${root}/${path}`, 'utf8').matchAll(/definePersonAct\(\{\s+name: '([a-z.-]+)',\s+roles: (\w+),/g)].map(
      ([, name, roles]) => [name, roles] as const,
    ),
  )
  expect(Object.fromEntries(found)).toEqual(OF_A_PERSON)
})
