import { DAY_MS } from '../../domain/calendar/instant.ts'
import { deleteAudience } from '../audience/audiences.ts'
import type { Db, Store } from '../database.ts'
import { eraseExposures } from '../embedded/exposures.ts'

/** How much was erased, or would be. */
export interface Erased {
  readonly audiences: number
  readonly members: number
  readonly events: number
  /** What a visitor had of lines with a frequency cap. */
  readonly exposures: number
}

/** What to erase within a tenant: everything that any of the given says. */
export interface ErasureOrder {
  readonly tenantId: string
  /** Pseudonyms that a person's identifier may be stored under. */
  readonly pseudonyms?: readonly string[]
  /** Pseudonym of a visitor of the publisher's pages. */
  readonly viewer?: string
  /** A buyer's audience, of one agent or of all. */
  readonly audience?: { readonly audienceId: string; readonly principalId?: string | undefined }
  /** Members sent last and events received before this time. */
  readonly before?: Date
}

/**
 * Erases personal data: people leave every audience they are in, and their events go. Conversions stay as counts: they name no person. A dry run does the same and takes
 * it back, so it shows exactly what would happen. `note` hears how much it was, before it is committed.
 */
export async function erase(
  store: Store,
  order: ErasureOrder,
  dryRun: boolean,
  note: (erased: Erased) => void = () => undefined,
): Promise<Erased> {
  try {
    return await store.transaction(async (tx) => {
      const erased = await eraseIn(tx, order)
      if (dryRun) throw new TakenBack(erased)
      note(erased)
      return erased
    })
  } catch (error) {
    if (error instanceof TakenBack) return error.erased
    throw error
  }
}

/** Ends the transaction of a dry run without its changes. */
class TakenBack extends Error {
  readonly erased: Erased

  constructor(erased: Erased) {
    super('dry run')
    this.erased = erased
  }
}

async function eraseIn(tx: Db, { tenantId, pseudonyms = [], viewer, audience, before }: ErasureOrder): Promise<Erased> {
  const people = pseudonyms.length > 0 ? await erasePeople(tx, tenantId, pseudonyms) : NOTHING
  const named = audience ? await eraseAudience(tx, tenantId, audience) : NOTHING
  const old = before ? await eraseBefore(tx, before, before, tenantId) : NOTHING
  return {
    audiences: named.audiences,
    members: people.members + named.members + old.members,
    events: people.events + old.events,
    exposures: viewer === undefined ? 0 : await eraseExposures(tx, tenantId, viewer),
  }
}

const NOTHING: Erased = { audiences: 0, members: 0, events: 0, exposures: 0 }

async function erasePeople(tx: Db, tenantId: string, pseudonyms: readonly string[]): Promise<Erased> {
  const found = await tx
    .selectFrom('audience_identifiers')
    .select(['seller_id', 'member'])
    .distinct()
    .where('tenant_id', '=', tenantId)
    .where('pseudonym', 'in', pseudonyms)
    .execute()
  let members = 0
  for (const { seller_id, member } of found) {
    const { numDeletedRows } = await tx
      .deleteFrom('audience_members')
      .where('tenant_id', '=', tenantId)
      .where('seller_id', '=', seller_id)
      .where('member', '=', member)
      .executeTakeFirst()
    members += Number(numDeletedRows)
  }
  const seen = await tx
    .selectFrom('event_identifiers')
    .select(['seller_id', 'test_code', 'event_type', 'event_key'])
    .distinct()
    .where('tenant_id', '=', tenantId)
    .where('pseudonym', 'in', pseudonyms)
    .execute()
  let events = 0
  for (const key of seen) {
    const { numDeletedRows } = await tx
      .deleteFrom('events')
      .where('tenant_id', '=', tenantId)
      .where('seller_id', '=', key.seller_id)
      .where('test_code', '=', key.test_code)
      .where('event_type', '=', key.event_type)
      .where('event_key', '=', key.event_key)
      .executeTakeFirst()
    events += Number(numDeletedRows)
  }
  return { ...NOTHING, members, events }
}

async function eraseAudience(
  tx: Db,
  tenantId: string,
  { audienceId, principalId }: NonNullable<ErasureOrder['audience']>,
): Promise<Erased> {
  const rows = await tx
    .selectFrom('audiences')
    .select('seller_id')
    .where('tenant_id', '=', tenantId)
    .where('audience_id', '=', audienceId)
    .$if(principalId !== undefined, (q) => q.where('principal_id', '=', principalId ?? ''))
    .execute()
  let members = 0
  for (const { seller_id } of rows) {
    const inside = await tx
      .deleteFrom('audience_members')
      .where('tenant_id', '=', tenantId)
      .where('seller_id', '=', seller_id)
      .executeTakeFirst()
    members += Number(inside.numDeletedRows)
    await deleteAudience(tx, { tenantId }, seller_id)
  }
  return { ...NOTHING, audiences: rows.length, members }
}

async function eraseBefore(tx: Db, members: Date, events: Date, tenantId: string | undefined): Promise<Erased> {
  const gone = await tx
    .deleteFrom('audience_members')
    .where('added_at', '<', members.toISOString())
    .$if(tenantId !== undefined, (q) => q.where('tenant_id', '=', tenantId ?? ''))
    .executeTakeFirst()
  const forgotten = await tx
    .deleteFrom('events')
    .where('received_at', '<', events.toISOString())
    .$if(tenantId !== undefined, (q) => q.where('tenant_id', '=', tenantId ?? ''))
    .executeTakeFirst()
  return { ...NOTHING, members: Number(gone.numDeletedRows), events: Number(forgotten.numDeletedRows) }
}

/** Forgets, in every tenant, who was not sent again and what happened longer ago than the retention. */
export function sweepPersonalData(
  tx: Db,
  now: Date,
  { audienceRetentionDays, eventRetentionDays }: { readonly audienceRetentionDays: number; readonly eventRetentionDays: number },
): Promise<Erased> {
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS)
  return eraseBefore(tx, daysAgo(audienceRetentionDays), daysAgo(eventRetentionDays), undefined)
}
