import type { NotificationConfig, ShownSubscriber } from '../../domain/account/notification-configs.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { findConfiguration } from '../../store/identity/principal-configurations.ts'
import type { KnownPrincipal } from './get-principal.ts'
import { proveAgentSubscribers, type Replaced, replaceSubscribers, type Wanted } from './replace-subscribers.ts'

/** AdCP 3.2, protocol/sync-principal-request.json. */
interface Request {
  readonly expected_configuration_version?: string
  readonly expected_principal_kind?: string
  readonly configuration: {
    readonly notification_configs?: readonly NotificationConfig[]
    readonly reporting_destinations?: unknown
    readonly declarations?: unknown
  }
  readonly dry_run?: boolean
}

interface Response {
  readonly result:
    | { readonly kind: 'validated'; readonly action: string; readonly dry_run: true }
    | ({
        readonly kind: 'applied'
        readonly action: Replaced['action']
        readonly dry_run: false
        readonly configuration_version: string
        readonly configuration: { readonly notification_configs: readonly ShownSubscriber[] }
      } & KnownPrincipal)
}

const WOULD = { updated: 'would_update', unchanged: 'would_be_unchanged', cleared: 'would_clear' } as const

export const syncPrincipal = defineTask<Request, Response>()({
  name: 'sync_principal',
  since: '3.2',
  mutating: true,
  access: 'authenticated',
  scope: 'accounts',
  ofPrograms: true,
  summary: 'Replace what this agent keeps about you: your webhooks for its changes.',
  input: { 'configuration.notification_configs': 'complete set; [] clears it' },
  async prepare(request, context) {
    await checkFences(request, context, context.db)
    await proveAgentSubscribers(wantedOf(request), context)
  },
  async handle(request, context) {
    await checkFences(request, context, context.tx)
    const { principal } = context
    const { action, subscribers, version } = await replaceSubscribers(wantedOf(request), context)
    if (request.dry_run) return { result: { kind: 'validated', action: WOULD[action], dry_run: true } }
    if (version === undefined) throw new Error('what was saved has a version')
    return {
      result: {
        kind: 'applied',
        action,
        dry_run: false,
        principal_id: principal.principalId,
        principal_kind: 'buyer_agent',
        configuration_version: version,
        configuration: { notification_configs: subscribers },
      },
    }
  },
})

/** Sections that are not kept, and what the caller expects to be true. Throws UNSUPPORTED_FEATURE, CONFLICT. */
async function checkFences(request: Request, { principal }: AuthenticatedContext, db: Db): Promise<void> {
  const { configuration, expected_principal_kind: kind, expected_configuration_version: expected } = request
  for (const section of ['reporting_destinations', 'declarations'] as const) {
    if (configuration[section] === undefined) continue
    const field = `configuration.${section}`
    throw new AdcpError('UNSUPPORTED_FEATURE', `${field} is not kept here: send notification_configs alone`, { field })
  }
  if (kind !== undefined && kind !== 'buyer_agent') {
    const field = 'expected_principal_kind'
    throw new AdcpError('CONFLICT', `${field} is ${kind}, and you are known as buyer_agent`, { field })
  }
  if (expected === undefined) return
  if ((await findConfiguration(db, principal))?.version === expected) return
  const field = 'expected_configuration_version'
  throw new AdcpError('CONFLICT', `${field} is not the current one: read get_principal and send again`, { field })
}

function wantedOf({ configuration, dry_run: dryRun = false }: Request): Wanted {
  return { configs: configuration.notification_configs ?? [], field: 'configuration.notification_configs', dryRun }
}
