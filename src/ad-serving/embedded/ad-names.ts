import type { Db } from '../../store/database.ts'
import { findEmbeddedCreative } from '../../store/embedded/creatives.ts'
import { findEmbeddedLine, findEmbeddedOrderAnchor } from '../../store/embedded/orders.ts'
import { billedKind } from './billing.ts'
import type { AssignedCreative, CreativeTerms, LineTerms, ServableLine } from './line.ts'
import type { Snapshot } from './snapshot.ts'
import type { CreativeDocument, LineDocument } from './stored-documents.ts'
import type { Served } from './tokens.ts'

/** Ids of an ad as its buyer knows them. */
export interface AdNames {
  readonly creativeId: string
  /** Absent for the publisher's own orders. */
  readonly packageId?: string
  readonly mediaBuyId?: string
}

/** What an ad shows, and the ids that its buyer knows it by. */
export interface NamedCreative {
  readonly creative: CreativeTerms
  readonly names: AdNames
  /** Its line is charged by the click: none of its code leads anywhere but through the address that counts. */
  readonly paidByClick?: boolean
}

/** The ids of a creative on a line. */
export function namesOf(
  { terms: { packageId }, mediaBuyId }: Pick<ServableLine, 'terms' | 'mediaBuyId'>,
  { creativeId, externalId = creativeId }: Pick<AssignedCreative, 'creativeId' | 'externalId'>,
): AdNames {
  return {
    creativeId: externalId,
    ...(packageId !== undefined && { packageId }),
    ...(mediaBuyId !== undefined && { mediaBuyId }),
  }
}

/** What was served, from memory while its line serves, else from the store; undefined when the creative is gone. */
export async function servedCreative(
  db: Db,
  snapshot: Pick<Snapshot, 'lines'> | undefined,
  served: Pick<Served, 'tenantId' | 'lineId' | 'creativeId'>,
): Promise<NamedCreative | undefined> {
  const line = snapshot?.lines.get(served.lineId)?.line
  const assigned = line?.creatives.find(({ creativeId }) => creativeId === served.creativeId)
  if (!line || !assigned) return storedCreative(db, served)
  return { creative: assigned.terms, names: namesOf(line, assigned), paidByClick: isPaidByClick(line.terms) }
}

function isPaidByClick({ pricing }: Pick<LineTerms, 'pricing'>): boolean {
  return billedKind(pricing.model) === 'click'
}

async function storedCreative(
  db: Db,
  { tenantId, lineId, creativeId }: Pick<Served, 'tenantId' | 'lineId' | 'creativeId'>,
): Promise<NamedCreative | undefined> {
  const found = await findEmbeddedCreative(db, tenantId, creativeId)
  if (!found) return undefined
  const { terms: creative, externalId }: CreativeDocument = JSON.parse(found.document)
  if (!creative) return undefined
  const row = await findEmbeddedLine(db, tenantId, lineId)
  const line: LineDocument | undefined = row && JSON.parse(row.document)
  const mediaBuyId = line?.terms.packageId === undefined ? undefined : await findEmbeddedOrderAnchor(db, tenantId, found.orderId)
  const names = line
    ? namesOf({ terms: line.terms, ...(mediaBuyId !== undefined && { mediaBuyId }) }, { creativeId, externalId })
    : undefined
  return { creative, names: names ?? { creativeId: externalId }, paidByClick: line !== undefined && isPaidByClick(line.terms) }
}
