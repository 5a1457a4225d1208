import type { Creative } from '../../domain/creative/creative.ts'
import type { Format } from '../../domain/creative/formats/format.ts'
import type { FormatKey } from '../../domain/creative/formats/format-id.ts'
import { groupBy } from '../../domain/group-by.ts'
import type { CreativeFact } from '../../domain/media-buy/media-buy.ts'
import { assignmentsOf } from '../../store/creative/creative-assignments.ts'
import { findCreatives } from '../../store/creative/creatives.ts'
import type { Store } from '../../store/database.ts'
import {
  LINES_A_QUERY,
  listHouseAssociations,
  putHouseCreative,
  replaceHouseAssociations,
} from '../../store/house/house-creatives.ts'
import { type HousePackage, listHousePackages } from '../../store/house/house-packages.ts'
import { creativeTermsOf } from './creative-terms.ts'
import { creativeIdOf } from './house-ids.ts'
import type { AssociationTerms } from './snapshot.ts'

export interface SyncParts {
  readonly store: Store
  readonly clock: () => Date
  /** The format that a creative names, where the publisher knows it. */
  formatsOf(tenantId: string): Promise<(formatId: FormatKey) => Format | undefined>
}

/** A creative as it should be on a line. */
interface Wanted {
  readonly creativeId: string
  readonly anchor: string
  readonly creative: string
  readonly document: string
}

/**
 * Brings the creatives of every open line to what the library and the assignments of its package say: approved ones serve, all others do not.
 * Writes only what differs. Gives the number of lines that changed.
 */
export async function syncCreatives(parts: SyncParts, tenantId: string): Promise<number> {
  const { store, clock } = parts
  const packages = await listHousePackages(store.read, tenantId, clock())
  if (packages.length === 0) return 0
  const formatOf = await parts.formatsOf(tenantId)
  let changed = 0
  for (const [principalId, all] of groupBy(packages, (each) => each.principalId)) {
    for (let at = 0; at < all.length; at += LINES_A_QUERY) {
      const some = all.slice(at, at + LINES_A_QUERY)
      const owner = { tenantId, principalId }
      const wanted = await wantedOf(store, owner, some, formatOf)
      const present = await presentOf(store, tenantId, some)
      for (const { lineId } of some) {
        const [after, before] = [wanted.get(lineId) ?? [], present.get(lineId) ?? []]
        if (JSON.stringify(after) === JSON.stringify(before)) continue
        await write(parts, tenantId, lineId, after)
        changed += 1
      }
    }
  }
  return changed
}

type Owner = { readonly tenantId: string; readonly principalId: string }

async function wantedOf(
  { read }: Store,
  owner: Owner,
  packages: readonly HousePackage[],
  formatOf: (formatId: FormatKey) => Format | undefined,
): Promise<Map<string, Wanted[]>> {
  const facts = await assignmentsOf(
    read,
    { ...owner, sandbox: false },
    packages.map(({ packageId }) => packageId),
  )
  const creatives = new Map<string, ReadonlyMap<string, Creative>>()
  for (const [accountId, some] of groupBy(packages, (each) => each.accountId)) {
    const ids = [...new Set(some.flatMap(({ packageId }) => (facts.get(packageId) ?? []).map(({ creativeId }) => creativeId)))]
    creatives.set(accountId, await findCreatives(read, owner, accountId, ids))
  }
  return new Map(
    packages.map(({ lineId, packageId, accountId }) => {
      const wanted = (facts.get(packageId) ?? []).flatMap((fact) => {
        const creative = creatives.get(accountId)?.get(fact.creativeId)
        return creative?.status === 'approved' ? (wantedCreative(owner, creative, fact, formatOf) ?? []) : []
      })
      return [lineId, wanted.sort((a, b) => (a.creativeId < b.creativeId ? -1 : 1))]
    }),
  )
}

function wantedCreative(
  { tenantId, principalId }: Owner,
  { creativeId, accountId, content }: Creative,
  { weight, placementIds }: CreativeFact,
  formatOf: (formatId: FormatKey) => Format | undefined,
): Wanted | undefined {
  const terms = creativeTermsOf(content, formatOf(content.formatId))
  // A weight of 0 takes a creative out of the rotation (AdCP core/creative-assignment.json).
  if (!terms || weight === 0) return undefined
  const anchor = JSON.stringify([principalId, accountId, creativeId])
  const association: AssociationTerms = { weight: weight ?? 100, ...(placementIds && { places: placementIds }) }
  return {
    creativeId: creativeIdOf(tenantId, anchor),
    anchor,
    creative: JSON.stringify(terms),
    document: JSON.stringify(association),
  }
}

async function presentOf({ read }: Store, tenantId: string, packages: readonly HousePackage[]): Promise<Map<string, Wanted[]>> {
  const rows = await listHouseAssociations(
    read,
    tenantId,
    packages.map(({ lineId }) => lineId),
  )
  const present = new Map<string, Wanted[]>()
  for (const { lineId, creativeId, anchor, creative, document } of rows)
    present.set(lineId, [...(present.get(lineId) ?? []), { creativeId, anchor, creative, document }])
  return present
}

async function write({ store, clock }: SyncParts, tenantId: string, lineId: string, wanted: readonly Wanted[]): Promise<void> {
  await store.transaction(async (tx) => {
    for (const { creativeId, anchor, creative } of wanted)
      await putHouseCreative(tx, tenantId, { creativeId, anchor, document: creative }, clock())
    await replaceHouseAssociations(tx, tenantId, lineId, wanted)
  })
}
