import { isActive, PROVIDER_STATUSES } from '../../domain/trusted-match/provider-registration.ts'
import { defineAct } from '../act.ts'
import { count, flag, ids, oneOf, required, text, type Values } from '../fields.ts'
import { ADMINISTRATORS, READERS } from '../roles.ts'
import {
  about,
  boolean,
  integer,
  list,
  listOf,
  moment,
  named,
  type Of,
  object,
  optional,
  orNull,
  pageOf,
  string,
  word,
} from '../shape.ts'
import { idText } from '../text-form.ts'
import { DEVELOPMENT_ONLY, PROVIDER_HEALTH, showMatchHealth } from './match-provider-health.ts'
import {
  changeProvider,
  healthOfProvider,
  registerProvider,
  removeProvider,
  replaceSyncKey,
  showMatchProviders,
  watchedProvider,
} from './match-providers.ts'
import { packagesShape, packagesText, readPackages } from './matched-packages.ts'

// Several acts in one file: they list, change and remove the same thing.

const REGISTRATION = {
  endpoint: text('base URL; the router appends /context and /identity'),
  context_match: flag('it matches contexts'),
  identity_match: flag('it matches users; needs countries and uid_types'),
  countries: ids('ISO 3166-1 alpha-2'),
  uid_types: ids('kinds of tokens that it may see'),
  properties: ids('property_rids that it serves (default: all)'),
  timeout_ms: count('how long it is waited for'),
  priority: count('lower wins where two offer one package'),
  tmpx_slots: ids('slots of its TMPX, in order'),
  status: oneOf(PROVIDER_STATUSES, 'only active ones are asked'),
  sync_url: text('where packages are synced to'),
  sync_key: text('the key for it, as the provider gave it; never shown again'),
}
const PROVIDER = required(idText('id of the provider'))

const registrationShape = object({
  provider_id: string,
  endpoint: string,
  context_match: optional(boolean),
  identity_match: optional(boolean),
  countries: optional(listOf(string)),
  uid_types: optional(listOf(string)),
  properties: optional(listOf(string)),
  timeout_ms: optional(integer),
  priority: optional(integer),
  tmpx_slots: optional(listOf(string)),
  status: optional(word(...PROVIDER_STATUSES)),
})
const providerMembers = {
  registration: registrationShape,
  development_only: about('its endpoint is of this machine: only routers with development: true in their file take it', boolean),
  sync_url: about('without its query and secrets of its path', orNull(string)),
  synced_at: orNull(moment),
  fault: about('why the last sync failed; null: it did not', orNull(string)),
}
const providerShape = named('ShownMatchProvider', object(providerMembers))
const healthShape = named(
  'MatchProviderHealth',
  object({
    provider_id: string,
    ...providerMembers,
    health: about(
      'not_judged: it has no GET /health, which providers need not have, or was asked too often; not_asked: it is draining or inactive',
      word(...PROVIDER_HEALTH),
    ),
    reason: about('why it is not ready, or not judged', optional(string)),
    packages: optional(packagesShape),
  }),
)

const endpointText = (endpoint: string, isDevelopmentOnly: boolean) =>
  isDevelopmentOnly ? `${endpoint} (${DEVELOPMENT_ONLY})` : endpoint

const FORM = {
  flags: { context_match: 'context', identity_match: 'identity', timeout_ms: 'timeout', tmpx_slots: 'slots' },
  negations: {
    context_match: 'it is not asked with the context of a page',
    identity_match: 'it is not asked with the identity of a visitor',
  },
  text: ({ registration: { provider_id: id, status = 'active', endpoint }, development_only }: Of<typeof providerShape>) => [
    `${id} is ${status} at ${endpoint}`,
    ...(development_only ? [`${DEVELOPMENT_ONLY}; others leave it out`] : []),
  ],
}

export const addMatchProvider = defineAct({
  name: 'trusted-match.add-provider',
  route: 'POST /trusted-match/providers',
  id: 'addMatchProvider',
  roles: ADMINISTRATORS,
  summary: 'Registers a provider with the router of the publisher.',
  fields: { provider: PROVIDER, ...REGISTRATION },
  answer: providerShape,
  subject: 'provider',
  command: { ...FORM, words: 'trusted-match providers add', args: ['provider'] },
  watch: watchedProvider,
  run: (context, values) => registerProvider(context, inputOf(values)),
})

export const setMatchProvider = defineAct({
  name: 'trusted-match.set-provider',
  route: 'PATCH /trusted-match/providers/{provider}',
  id: 'setMatchProvider',
  roles: ADMINISTRATORS,
  summary: 'Changes a registration, or its status.',
  fields: { provider: PROVIDER, ...REGISTRATION },
  answer: providerShape,
  command: { ...FORM, words: 'trusted-match providers set' },
  watch: watchedProvider,
  run: (context, values) => changeProvider(context, inputOf(values)),
})

export const listMatchProviders = defineAct({
  name: 'trusted-match.list-providers',
  route: 'GET /trusted-match/providers',
  id: 'listMatchProviders',
  roles: READERS,
  summary: 'Providers that the router of the publisher asks.',
  fields: {},
  answer: pageOf(providerShape),
  run: async (context) => list(await showMatchProviders(context, context.tenantId)),
})

export const listMatchHealth = defineAct({
  name: 'trusted-match.list-health',
  route: 'GET /trusted-match/health',
  id: 'listMatchHealth',
  roles: READERS,
  summary: 'The providers, with each asked whether it is ready; takes five seconds at most.',
  fields: {},
  answer: pageOf(healthShape),
  command: {
    words: 'trusted-match providers list',
    columns: [
      ['PROVIDER', (row) => row.provider_id],
      ['STATUS', ({ registration }) => registration.status ?? 'active'],
      ['ENDPOINT', ({ registration, development_only }) => endpointText(registration.endpoint, development_only)],
      ['HEALTH', ({ health, reason }) => (reason === undefined ? health : `${health} (${reason})`)],
      ['PACKAGES', ({ packages }) => (packages === undefined ? '' : packagesText(packages))],
      ['SYNCED', (row) => row.synced_at ?? ''],
      ['FAULT', ({ fault }) => fault ?? ''],
    ],
  },
  async run(context) {
    const [all, health] = await Promise.all([
      showMatchProviders(context, context.tenantId),
      showMatchHealth(context, context.tenantId),
    ])
    const states = new Map(health.map((each) => [each.provider_id, each]))
    const isMatching = all.some(({ registration }) => isActive(registration))
    const packages = isMatching ? await readPackages(context) : undefined
    return list(
      all.map((each) => {
        const id = each.registration.provider_id
        const supply = packages && isActive(each.registration) ? { packages } : {}
        return { provider_id: id, health: 'not_asked' as const, ...each, ...states.get(id), ...supply }
      }),
    )
  },
})

export const checkMatchProvider = defineAct({
  name: 'trusted-match.check-provider',
  route: 'POST /trusted-match/providers/{provider}/check',
  id: 'checkMatchProvider',
  roles: ADMINISTRATORS,
  changes: false,
  summary: 'Asks a provider whether it is ready.',
  fields: { provider: PROVIDER },
  answer: object({ provider_id: string, ready: boolean, reason: optional(string) }),
  command: {
    words: 'trusted-match providers check',
    text: ({ provider_id: id, ready, reason }) => [ready ? `${id} is ready` : `${id} is not ready: ${reason}`],
    fails: ({ ready }) => !ready,
  },
  run: (context, { provider }) => healthOfProvider(context, context.tenantId, provider),
})

export const endMatchProvider = defineAct({
  name: 'trusted-match.remove-provider',
  route: 'DELETE /trusted-match/providers/{provider}',
  id: 'endMatchProvider',
  roles: ADMINISTRATORS,
  summary: 'Removes the registration of a provider.',
  fields: { provider: PROVIDER },
  answer: object({ provider_id: string, removed: boolean }),
  command: { words: 'trusted-match providers remove', text: ({ provider_id: id }) => [`removed ${id}`] },
  watch: watchedProvider,
  async run(context, { provider }) {
    await removeProvider(context, provider)
    return { provider_id: provider, removed: true }
  },
})

export const rotateSyncKey = defineAct({
  name: 'trusted-match.rotate-sync-key',
  route: 'PUT /trusted-match/providers/{provider}/sync-key',
  id: 'rotateSyncKey',
  roles: ADMINISTRATORS,
  summary: 'Replaces the key that packages are synced with; it is never shown again.',
  fields: { provider: PROVIDER, sync_key: required(text('the new key, as the provider gave it')) },
  answer: providerShape,
  command: {
    words: 'trusted-match providers rotate',
    text: ({ registration }) => [`${registration.provider_id} is synced with the new key`],
  },
  watch: watchedProvider,
  run: (context, { provider, sync_key: syncKey }) => replaceSyncKey(context, { providerId: provider, syncKey }),
})

function inputOf(values: Values<typeof REGISTRATION & { provider: typeof PROVIDER }>) {
  const { provider: providerId, sync_url: syncUrl, sync_key: syncKey, ...registration } = values
  return { providerId, registration, syncUrl, syncKey }
}
