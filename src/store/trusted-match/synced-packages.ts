import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { chunksInTurns } from '../chunks.ts'
import type { Db } from '../database.ts'

export interface SyncedPackage {
  readonly seller: string
  readonly packageId: string
  readonly mediaBuyId: string
}

/** A package as a seller sends it (trusted-match/available-package.json). */
interface SentPackage {
  readonly package_id: string
  readonly media_buy_id: string
}

/** Rows that one statement writes or reads. */
const ROWS = 100

/** Puts these packages in the place of all that the seller had synced. Their formats and catalogs, megabytes of one sync, are read by nothing and not kept. */
export async function replaceSyncedPackages(
  tx: Db,
  tenantId: string,
  seller: string,
  packages: readonly SentPackage[],
): Promise<void> {
  await tx.deleteFrom('match_packages').where('tenant_id', '=', tenantId).where('seller', '=', seller).execute()
  for await (const chunk of chunksInTurns(packages, ROWS)) {
    const rows = chunk.map((each) => ({
      tenant_id: tenantId,
      seller,
      package_id: each.package_id,
      document: JSON.stringify({ package_id: each.package_id, media_buy_id: each.media_buy_id }),
    }))
    await tx.insertInto('match_packages').values(rows).execute()
  }
}

/** Every package that sellers synced. */
export async function listSyncedPackages(db: Db, tenantId: string): Promise<readonly SyncedPackage[]> {
  const ordered = db
    .selectFrom('match_packages')
    .select(['seller', 'package_id', 'document'])
    .where('tenant_id', '=', tenantId)
    .orderBy('seller')
    .orderBy('package_id')
    .limit(ROWS)
  const packages: SyncedPackage[] = []
  let page = await ordered.execute()
  for (;;) {
    for (const { seller, package_id: packageId, document } of page)
      packages.push({ seller, packageId, mediaBuyId: String(JSON.parse(document).media_buy_id) })
    const last = page[ROWS - 1]
    if (!last) return packages
    await yieldToEventLoop()
    const { seller, package_id: packageId } = last
    page = await ordered.where((eb) => eb(eb.refTuple('seller', 'package_id'), '>', eb.tuple(seller, packageId))).execute()
  }
}
