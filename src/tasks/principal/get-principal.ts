import type { ShownSubscriber } from '../../domain/account/notification-configs.ts'
import { defineTask } from '../../pipeline/task.ts'
import { findConfiguration } from '../../store/identity/principal-configurations.ts'

/** A caller as this agent knows it (AdCP 3.2, protocol/get-principal-response.json). Callers of this agent are agents of buyers: people do not call it. */
export interface KnownPrincipal {
  readonly principal_id: string
  readonly principal_kind: 'buyer_agent'
}

interface Response {
  readonly result:
    | ({ readonly kind: 'recognized' } & KnownPrincipal)
    | ({
        readonly kind: 'current'
        readonly configuration_version: string
        readonly configuration: { readonly notification_configs: readonly ShownSubscriber[] }
      } & KnownPrincipal)
}

export const getPrincipal = defineTask<object, Response>()({
  name: 'get_principal',
  since: '3.2',
  access: 'authenticated',
  scope: 'accounts',
  summary: 'How this agent knows you, and what it keeps (sync_principal).',
  async handle(_request, { tx, principal }) {
    const known: KnownPrincipal = { principal_id: principal.principalId, principal_kind: 'buyer_agent' }
    const kept = await findConfiguration(tx, principal)
    if (!kept) return { result: { kind: 'recognized', ...known } }
    const configuration = { notification_configs: kept.subscribers }
    return { result: { kind: 'current', ...known, configuration_version: kept.version, configuration } }
  },
})
