import type { Db } from '../database.ts'

/** Entries that lists may have together, each content once. */
export interface ListRoom {
  readonly ofPublisher: number
  readonly ofBuyer: number
}

/** Why a list has no room: entries of the other lists of the publisher, or of the same buyer, that are needed still. */
export interface NoRoom {
  readonly whose: keyof ListRoom
  readonly others: number
}

/** A list as it was read now. */
interface ReadList {
  readonly tenantId: string
  readonly listKey: string
  /** Of its content. */
  readonly digest: string
  readonly entries: number
  /** The order that names it. */
  readonly mediaBuyId: string
  readonly now: Date
}

/** Why a list has no room beside the others that are needed still; undefined: it has. */
export async function noRoom(tx: Db, list: ReadList, room: ListRoom): Promise<NoRoom | undefined> {
  const buyer = await buyerOf(tx, list.tenantId, list.mediaBuyId)
  if (buyer !== undefined) {
    const others = await otherEntries(tx, { ...list, buyer })
    if (others + list.entries > room.ofBuyer) return { whose: 'ofBuyer', others }
  }
  const others = await otherEntries(tx, list)
  return others + list.entries > room.ofPublisher ? { whose: 'ofPublisher', others } : undefined
}

/** Whose order it is; undefined for one that people of the publisher entered. */
async function buyerOf(tx: Db, tenantId: string, mediaBuyId: string): Promise<string | undefined> {
  const row = await tx
    .selectFrom('media_buys')
    .select('principal_id')
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', mediaBuyId)
    .executeTakeFirst()
  return row?.principal_id
}

/** Entries of the lists of a publisher, or of one of its buyers, that are needed still, but one, each content once and without that of the one. */
async function otherEntries(
  tx: Db,
  { tenantId, listKey, digest, buyer, now }: Omit<ReadList, 'entries' | 'mediaBuyId'> & { readonly buyer?: string },
): Promise<number> {
  const ofBuyer = tx.selectFrom('media_buys').select('media_buy_id').where('tenant_id', '=', tenantId)
  const contents = tx
    .selectFrom('embedded_lists')
    .select(['digest', 'entries'])
    .distinct()
    .where('tenant_id', '=', tenantId)
    .where('list_key', '<>', listKey)
    .where('needed_until', '>', now.toISOString())
    .where('digest', 'is not', null)
    .where('digest', '<>', digest)
    .$if(buyer !== undefined, (query) => query.where('media_buy_id', 'in', ofBuyer.where('principal_id', '=', buyer ?? '')))
  const { sum } = await tx
    .selectFrom(contents.as('contents'))
    .select((eb) => eb.fn.sum<number | string | null>('entries').as('sum'))
    .executeTakeFirstOrThrow()
  return Number(sum ?? 0)
}
