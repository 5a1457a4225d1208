import { Command } from 'commander'
import { revokeMatchKeyOf, rotateMatchKey, showMatchKeys } from '../operator/trusted-match/match-keys.ts'
import { showMatchHealth } from '../operator/trusted-match/match-provider-health.ts'
import {
  addMatchProvider,
  checkMatchProvider,
  endMatchProvider,
  rotateSyncKey,
  setMatchProvider,
  showMatchProviders,
} from '../operator/trusted-match/match-providers.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface Options extends TenantOption {
  readonly json?: boolean
}

interface RegistrationOptions extends Options {
  readonly endpoint?: string
  readonly context?: boolean
  readonly identity?: boolean
  readonly countries?: readonly string[]
  readonly uidTypes?: readonly string[]
  readonly properties?: readonly string[]
  readonly timeout?: string
  readonly priority?: string
  readonly slots?: readonly string[]
  readonly status?: 'active' | 'inactive' | 'draining'
  readonly syncUrl?: string
  readonly syncKey?: string
}

/** `sales-agent trusted-match providers add|set|list|check|remove|rotate`: providers that a publisher's router asks. */
export function matchProvidersCommand(): Command {
  const providers = new Command('providers').description('providers that the router asks, and the sync of packages to them')
  for (const [name, verb, act] of [
    ['add', 'register a provider', addMatchProvider],
    ['set', 'change a registration, or its status', setMatchProvider],
  ] as const)
    withRegistration(providers.command(`${name} <provider>`).description(verb)).action(
      (providerId: string, options: RegistrationOptions) =>
        operateFor(options, async (operator, tenantId) => {
          const input = { providerId, registration: registrationOf(options), syncUrl: options.syncUrl, syncKey: options.syncKey }
          const shown = await act(operator, tenantId, input)
          print(options.json, shown, [
            `${providerId} is ${shown.registration.status ?? 'active'} at ${shown.registration.endpoint}`,
          ])
        }),
    )
  withTenant(providers.command('list').description('list the providers, and ask each whether it is ready')).action(
    (options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        const [all, health] = await Promise.all([showMatchProviders(operator, tenantId), showMatchHealth(operator, tenantId)])
        const states = new Map(health.map((each) => [each.provider_id, each]))
        const shown = all.map((each) => {
          const { health: state = 'not_asked', reason } = states.get(each.registration.provider_id) ?? {}
          return { ...each, health: state, ...(reason !== undefined && { reason }) }
        })
        const rows = shown.map(({ registration, health: state, reason, synced_at, fault }) => [
          registration.provider_id,
          registration.status ?? 'active',
          registration.endpoint,
          reason === undefined ? state : `${state} (${reason})`,
          synced_at ?? '',
          fault ?? '',
        ])
        printList(options.json, shown, table(['PROVIDER', 'STATUS', 'ENDPOINT', 'HEALTH', 'SYNCED', 'FAULT'], rows))
      }),
  )
  withTenant(providers.command('check <provider>').description('ask a provider whether it is ready')).action(
    (id: string, options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        const result = await checkMatchProvider(operator, tenantId, id)
        print(options.json, result, [result.ready ? `${id} is ready` : `${id} is not ready: ${result.reason}`])
      }),
  )
  withTenant(providers.command('remove <provider>').description('end a registration')).action((id: string, options: Options) =>
    operateFor(options, async (operator, tenantId) => {
      await endMatchProvider(operator, tenantId, id)
      print(options.json, { provider_id: id, removed: true }, [`removed ${id}`])
    }),
  )
  withTenant(providers.command('rotate <provider>').description('replace the key that packages are synced with'))
    .requiredOption('--sync-key <key>', 'the new key, as the provider gave it')
    .action((providerId: string, { syncKey = '', ...options }: RegistrationOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const shown = await rotateSyncKey(operator, tenantId, { providerId, syncKey })
        print(options.json, shown, [`${providerId} is synced with the new key`])
      }),
    )
  return providers
}

/** `sales-agent trusted-match keys list|rotate|revoke`: keys that a publisher's router signs with. */
export function matchKeysCommand(): Command {
  const keys = new Command('keys').description('keys that the router signs with')
  withTenant(keys.command('list').description('list the keys')).action((options: Options) =>
    operateFor(options, async (operator, tenantId) => {
      const all = await showMatchKeys(operator, tenantId)
      const rows = all.map((key) => [key.kid, key.x, key.created_at, key.retired_at ?? '', key.revoked_at ?? ''])
      printList(options.json, all, table(['KEY', 'PUBLIC', 'CREATED', 'RETIRED', 'REVOKED'], rows))
    }),
  )
  withTenant(keys.command('rotate').description('make the key that signs from now on')).action((options: Options) =>
    operateFor(options, async (operator, tenantId) => {
      const key = await rotateMatchKey(operator, tenantId)
      print(options.json, key, [`${key.kid} signs from now on`])
    }),
  )
  withTenant(keys.command('revoke <kid>').description('refuse the signatures of a key that leaked'))
    .option('--from <when>', 'ISO date or span (default: now)')
    .action((kid: string, options: Options & { readonly from?: string }) =>
      operateFor(options, async (operator, tenantId) => {
        await revokeMatchKeyOf(operator, tenantId, { kid, from: options.from })
        print(options.json, { kid, revoked: true }, [`revoked ${kid}`])
      }),
    )
  return keys
}

function withTenant(command: Command): Command {
  return withStoreOptions(command).option('--tenant <id>').option('--json')
}

function withRegistration(command: Command): Command {
  const list = (text: string) => text.split(',').map((each) => each.trim())
  return withTenant(command)
    .option('--endpoint <url>', 'base URL; the router appends /context and /identity')
    .option('--context', 'it matches contexts')
    .option('--no-context', 'it is not asked with the context of a page')
    .option('--identity', 'it matches users; needs --countries and --uid-types')
    .option('--no-identity', 'it is not asked with the identity of a visitor')
    .option('--countries <codes>', 'ISO 3166-1 alpha-2, comma-separated', list)
    .option('--uid-types <types>', 'kinds of tokens that it may see, comma-separated', list)
    .option('--properties <rids>', 'property_rids that it serves (default: all)', list)
    .option('--timeout <ms>', 'how long it is waited for')
    .option('--priority <number>', 'lower wins where two offer one package')
    .option('--slots <ids>', 'tmpx_slots, in order', list)
    .option('--status <status>', 'active, draining or inactive')
    .option('--sync-url <url>', 'where packages are synced to')
    .option('--sync-key <key>', 'key for it, as the provider gave it')
}

function registrationOf(options: RegistrationOptions) {
  const whole = (text: string | undefined) => (text === undefined ? undefined : Number(text))
  return {
    endpoint: options.endpoint,
    context_match: options.context,
    identity_match: options.identity,
    countries: options.countries,
    uid_types: options.uidTypes,
    properties: options.properties,
    timeout_ms: whole(options.timeout),
    priority: whole(options.priority),
    tmpx_slots: options.slots,
    status: options.status,
  }
}
