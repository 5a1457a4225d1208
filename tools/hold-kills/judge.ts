import type { Config } from '../../src/config/config.ts'
import { HeldInventory } from '../../src/domain/media-buy/held-inventory.ts'
import { type Holding, reservationChanges } from '../../src/domain/media-buy/inventory.ts'
import type { Package } from '../../src/domain/media-buy/media-buy.ts'
import { openStore } from '../../src/store/open.ts'
import { PRODUCT, type Told } from './buyers.ts'

/**
 * Whether the counts of the inventory are what orders and holds come to, no day is sold twice, and every proposal is what its buyer was told: held, or one media
 * buy, or declined and free.
 */
export async function judgeHolds(config: Config, told: readonly Told[], dailyCapacity: number): Promise<readonly string[]> {
  const store = await openStore(config, { create: false })
  try {
    const problems: string[] = []
    const rows = await store.read.selectFrom('inventory_holds').selectAll().execute()
    const holds = new Map<string, number>()
    for (const { proposal_id: id } of rows) holds.set(id, (holds.get(id) ?? 0) + 1)
    const bought = new Map<string, string[]>()
    const holdings: Holding[] = rows.map((row) => ({
      productId: row.product_id,
      reservedImpressions: Number(row.impressions),
      terms: { startsAt: row.starts_at, endsAt: row.ends_at },
    }))
    for (const { media_buy_id: id, document } of await store.read
      .selectFrom('media_buys')
      .select(['media_buy_id', 'document'])
      .execute()) {
      const { proposalId = '' }: { proposalId?: string } = JSON.parse(document)
      bought.set(proposalId, [...(bought.get(proposalId) ?? []), id])
    }
    for (const { document } of await store.read.selectFrom('packages').select('document').execute()) {
      const pkg: Package = JSON.parse(document)
      if (!pkg.cancellation) holdings.push(pkg)
    }
    const counted = await store.read
      .selectFrom('inventory_periods')
      .select(['period', 'reserved'])
      .where('product_id', '=', PRODUCT)
      .where('pool', '=', '')
      .execute()
    const expected = new Map((reservationChanges([], holdings).get(PRODUCT) ?? []).map(({ period, delta }) => [period, delta]))
    for (const { period, reserved } of counted) {
      if (Number(reserved) !== (expected.get(period) ?? 0))
        problems.push(`${period} counts ${reserved}, orders and holds come to ${expected.get(period) ?? 0}`)
    }
    const held = new HeldInventory(new Map(counted.map(({ period, reserved }) => [period, Number(reserved)])))
    for (const { period } of counted) if (held.mostIn(period) > dailyCapacity) problems.push(`${period} is sold twice`)
    for (const { proposalId, state, mediaBuyId } of told) {
      const buys = bought.get(proposalId) ?? []
      if (buys.length > 1) problems.push(`${proposalId} became ${buys.join(', ')}`)
      if (state === 'accepted' && !buys.includes(mediaBuyId ?? ''))
        problems.push(`${proposalId} was accepted as ${mediaBuyId} and is not`)
      if (state !== 'held' && holds.has(proposalId)) problems.push(`${proposalId} is ${state} and holds inventory`)
      if (state === 'held' && !holds.has(proposalId) && buys.length === 0 && !(await isEnded(store.read, proposalId)))
        problems.push(`${proposalId} was held and holds nothing`)
    }
    return problems
  } finally {
    await store.close()
  }
}

/** Whether a call that was not answered ended a proposal. */
async function isEnded(db: Awaited<ReturnType<typeof openStore>>['read'], proposalId: string): Promise<boolean> {
  const row = await db.selectFrom('proposals').select('ending').where('proposal_id', '=', proposalId).executeTakeFirst()
  return row?.ending != null
}
