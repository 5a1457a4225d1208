import type { FormatType } from '../../domain/creative/formats/format.ts'
import type { ProductDocument } from '../../domain/product/products-file.ts'
import type { Db } from '../database.ts'
import { loadProductRows } from './products.ts'
import { nextRevision, touchProducts } from './products-revision.ts'
import { writeProduct } from './save-products.ts'

/** A format that the compliance controller seeded for one sandbox principal. */
export interface SeededFormat {
  readonly id: string
  readonly name: string
  readonly type: FormatType
}

/** Products that were seeded for one sandbox principal, the one that was seeded last first. */
export function loadSeededProducts(db: Db, tenantId: string, principalId: string): Promise<ProductDocument[]> {
  return loadProductRows(db, tenantId, principalId, (document) => document)
}

/** Formats that were seeded for one sandbox principal. */
export async function loadSeededFormats(db: Db, tenantId: string, principalId: string): Promise<SeededFormat[]> {
  const rows = await db
    .selectFrom('seeded_formats')
    .select('document')
    .where('tenant_id', '=', tenantId)
    .where('owner', '=', principalId)
    .orderBy('format_id')
    .execute()
  return rows.map((row) => JSON.parse(row.document))
}

/** Adds or replaces a product that only one sandbox principal sees. */
export async function seedProduct(
  tx: Db,
  tenantId: string,
  principalId: string,
  document: ProductDocument,
  now: Date,
): Promise<void> {
  const revision = await nextRevision(tx, tenantId)
  await writeProduct(tx, tenantId, principalId, { position: -revision, document, at: now.toISOString(), revision })
  await touchProducts(tx, tenantId)
}

/** Adds or replaces a format that only one sandbox principal sees. */
export async function seedFormat(tx: Db, tenantId: string, principalId: string, format: SeededFormat): Promise<void> {
  const document = JSON.stringify(format)
  await tx
    .insertInto('seeded_formats')
    .values({ tenant_id: tenantId, owner: principalId, format_id: format.id, document })
    .onConflict((c) => c.columns(['tenant_id', 'owner', 'format_id']).doUpdateSet({ document }))
    .execute()
  await touchProducts(tx, tenantId)
}
