import type { Selectable } from 'kysely'
import type { AuthScheme } from '../../domain/auth-scheme.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { ReportingFrequency } from '../../domain/product/reporting-capabilities.ts'
import type { BodyForm } from '../../domain/webhook/body.ts'
import type { Db } from '../database.ts'
import type { EndpointKind, WebhookEndpointTables } from './rows.ts'

export interface EndpointSettings extends BodyForm {
  readonly frequency?: ReportingFrequency
  readonly metrics?: readonly string[]
  /** Of an endpoint that subscribes to events of an account. */
  readonly subscriber?: { readonly id: string; readonly eventTypes: readonly string[] }
}

export interface WebhookEndpoint extends PrincipalRef {
  readonly endpointId: string
  readonly kind: EndpointKind
  readonly taskId: string
  readonly taskType: string
  readonly mediaBuyId: string | undefined
  /** Without its query. */
  readonly url: string
  readonly query: string | undefined
  readonly loopback: boolean
  readonly scheme: AuthScheme | undefined
  readonly credentials: string | undefined
  readonly token: string | undefined
  readonly settings: EndpointSettings
}

/** Stores a registration. `query`, `credentials` and `token` have to be sealed. */
export async function insertEndpoint(tx: Db, endpoint: WebhookEndpoint, now: Date): Promise<void> {
  await tx
    .insertInto('webhook_endpoints')
    .values({
      endpoint_id: endpoint.endpointId,
      tenant_id: endpoint.tenantId,
      principal_id: endpoint.principalId,
      kind: endpoint.kind,
      task_id: endpoint.taskId,
      task_type: endpoint.taskType,
      media_buy_id: endpoint.mediaBuyId ?? null,
      url: endpoint.url,
      query: endpoint.query ?? null,
      loopback: endpoint.loopback ? 1 : 0,
      scheme: endpoint.scheme ?? null,
      credentials: endpoint.credentials ?? null,
      token: endpoint.token ?? null,
      settings: JSON.stringify(endpoint.settings),
      created_at: now.toISOString(),
      ended_at: null,
    })
    .execute()
}

/** One registration by its id; deliveries name it. */
export async function findEndpoint(db: Db, endpointId: string): Promise<WebhookEndpoint | undefined> {
  const row = await db.selectFrom('webhook_endpoints').selectAll().where('endpoint_id', '=', endpointId).executeTakeFirst()
  return row && endpointOf(row)
}

/** What the request of a task registered. */
export async function endpointsOfTask(db: Db, owner: PrincipalRef, taskId: string): Promise<WebhookEndpoint[]> {
  return (await openEndpoints(db, owner).where('task_id', '=', taskId).execute()).map(endpointOf)
}

/** What an agent registered of one kind. */
export async function endpointsOfKind(db: Db, owner: PrincipalRef, kind: EndpointKind): Promise<WebhookEndpoint[]> {
  return (await openEndpoints(db, owner).where('kind', '=', kind).execute()).map(endpointOf)
}

/** Subscribers of an account's events, whichever agent declared them. */
export async function endpointsOfAccount(db: Db, tenantId: string, accountId: string): Promise<WebhookEndpoint[]> {
  const rows = await db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('task_id', '=', accountId)
    .where('kind', '=', 'account')
    .where('ended_at', 'is', null)
    .orderBy('endpoint_id')
    .execute()
  return rows.map(endpointOf)
}

/** Registrations of an agent that have not ended. */
function openEndpoints(db: Db, { tenantId, principalId }: PrincipalRef) {
  return db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .where('ended_at', 'is', null)
    .orderBy('endpoint_id')
}

/** Everybody who follows a media buy. */
export async function endpointsOfMediaBuy(
  db: Db,
  owner: PrincipalRef,
  mediaBuyId: string,
  kind: EndpointKind,
): Promise<WebhookEndpoint[]> {
  const rows = await db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('media_buy_id', '=', mediaBuyId)
    .where('kind', '=', kind)
    .where('ended_at', 'is', null)
    .orderBy('endpoint_id')
    .execute()
  return rows.map(endpointOf)
}

/** Those of these media buys, one page at most, that an agent has registered a webhook for, whether or not it has ended. */
export async function followedMediaBuys(
  db: Db,
  owner: PrincipalRef,
  mediaBuyIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (mediaBuyIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('webhook_endpoints')
    .select('media_buy_id')
    .distinct()
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .where('media_buy_id', 'in', mediaBuyIds)
    .execute()
  return new Set(rows.flatMap(({ media_buy_id: id }) => id ?? []))
}

/** Lets a registration follow a media buy from now on. */
export async function followMediaBuy(tx: Db, endpoint: WebhookEndpoint, mediaBuyId: string): Promise<void> {
  await tx
    .updateTable('webhook_endpoints')
    .set({ media_buy_id: mediaBuyId })
    .where('endpoint_id', '=', endpoint.endpointId)
    .execute()
}

/** Ends registrations: they get nothing new; what is in the outbox still goes out. */
export async function endEndpoints(tx: Db, endpointIds: readonly string[], now: Date): Promise<void> {
  if (endpointIds.length === 0) return
  await tx.updateTable('webhook_endpoints').set({ ended_at: now.toISOString() }).where('endpoint_id', 'in', endpointIds).execute()
}

/** Registrations that are looked at in one transaction of the sweep: some milliseconds. */
const SWEPT_AT_ONCE = 500

/**
 * Drops registrations made before a moment that nothing refers to any more, and their secrets with them; looks at the next ones after an id. Returns the last id that was
 * looked at; undefined: there are no more.
 */
export async function sweepEndpoints(tx: Db, before: Date, after = ''): Promise<string | undefined> {
  const ids = await tx
    .selectFrom('webhook_endpoints')
    .select('endpoint_id')
    .where('endpoint_id', '>', after)
    .orderBy('endpoint_id')
    .limit(SWEPT_AT_ONCE)
    .execute()
  const last = ids.at(-1)?.endpoint_id
  if (last === undefined) return undefined
  await tx
    .deleteFrom('webhook_endpoints')
    .where('endpoint_id', '>', after)
    .where('endpoint_id', '<=', last)
    .where('created_at', '<', before.toISOString())
    .where((e) =>
      e.not(
        e.or([
          e.exists(
            e
              .selectFrom('webhook_outbox as o')
              .select('o.delivery_id')
              .whereRef('o.endpoint_id', '=', 'webhook_endpoints.endpoint_id'),
          ),
          e.exists(
            e
              .selectFrom('scheduled_events as s')
              .select('s.event_id')
              .whereRef('s.endpoint_id', '=', 'webhook_endpoints.endpoint_id'),
          ),
          e.exists(
            e
              .selectFrom('tasks as t')
              .select('t.task_id')
              .whereRef('t.tenant_id', '=', 'webhook_endpoints.tenant_id')
              .whereRef('t.task_id', '=', 'webhook_endpoints.task_id')
              .where('t.completed_at', 'is', null),
          ),
          // Rights can be withdrawn for as long as they last, and subscribers follow until they are replaced.
          e.and([
            e('webhook_endpoints.kind', 'in', ['revocation', 'account', 'agent']),
            e('webhook_endpoints.ended_at', 'is', null),
          ]),
        ]),
      ),
    )
    .execute()
  return ids.length < SWEPT_AT_ONCE ? undefined : last
}

/** Place of an endpoint's secrets, for sealing them: they open in no other row. */
export function sealPlace(endpointId: string, field: 'query' | 'credentials' | 'token'): string {
  return `webhook_endpoints/${endpointId}/${field}`
}

function endpointOf(row: Selectable<WebhookEndpointTables['webhook_endpoints']>): WebhookEndpoint {
  return {
    tenantId: row.tenant_id,
    principalId: row.principal_id,
    endpointId: row.endpoint_id,
    kind: row.kind,
    taskId: row.task_id,
    taskType: row.task_type,
    mediaBuyId: row.media_buy_id ?? undefined,
    url: row.url,
    query: row.query ?? undefined,
    loopback: row.loopback === 1,
    scheme: row.scheme ?? undefined,
    credentials: row.credentials ?? undefined,
    token: row.token ?? undefined,
    settings: JSON.parse(row.settings),
  }
}
