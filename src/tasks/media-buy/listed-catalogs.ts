import type { SyncCatalogsSuccess } from '@adcp/sdk'
import type { AccountScope } from '../../domain/account/account.ts'
import { MOST_ISSUES, presentCatalog } from '../../domain/catalog/sync-catalog.ts'
import { giveWay } from '../../platform/concurrency/yield-to-event-loop.ts'
import { listFlaggedItems } from '../../store/catalog/catalog-items.ts'
import { listCatalogs } from '../../store/catalog/catalogs.ts'
import type { Db } from '../../store/database.ts'
import { PAGE_BYTES } from '../../store/page-size.ts'

/** Catalogs of one list: half a megabyte of rows without issues. The protocol has no pages here. */
const MOST_LISTED = 1_000

/** What the store has of catalogs, with what is left out of it. */
interface ListedCatalogs {
  readonly catalogs: SyncCatalogsSuccess['catalogs']
  readonly notes: readonly string[]
}

/** The catalogs within reach, those of the given ids or the first ones in order of creation, with the issues of the first of them: {@link PAGE_BYTES} of these. */
export async function listedCatalogs(db: Db, reach: AccountScope, ids: readonly string[] | undefined): Promise<ListedCatalogs> {
  const { catalogs: stored, total } = await listCatalogs(db, reach, ids, MOST_LISTED)
  const catalogs: SyncCatalogsSuccess['catalogs'][number][] = []
  let [size, examined] = [0, 0]
  for (const catalog of stored) {
    await giveWay()
    const isFull = size >= PAGE_BYTES
    const flagged = isFull ? [] : await listFlaggedItems(db, reach.tenantId, catalog.platformId, MOST_ISSUES)
    const row = presentCatalog(catalog, 'unchanged', flagged)
    if (!isFull) examined += 1
    if (row.item_issues) size += JSON.stringify(row.item_issues).length
    catalogs.push(row)
  }
  const notes = [
    ...(total > stored.length
      ? [
          `Only the first ${stored.length} of ${total} catalogs are listed, in order of creation: ask for others with catalog_ids.`,
        ]
      : []),
    ...(examined < stored.length
      ? [
          `item_issues are given of the first ${examined} catalogs only, up to ${PAGE_BYTES / 1e6} MB: ask for those of others with catalog_ids.`,
        ]
      : []),
  ]
  return { catalogs, notes }
}
