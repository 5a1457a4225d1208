import type { FormatDocument } from '../../domain/creative/formats/custom-format.ts'
import type { Db } from '../database.ts'
import { touchProducts } from './products-revision.ts'

/** The publisher's own formats, in the order of their import. */
export async function loadCustomFormats(db: Db, tenantId: string): Promise<FormatDocument[]> {
  const rows = await db
    .selectFrom('custom_formats')
    .select('document')
    .where('tenant_id', '=', tenantId)
    .orderBy('position')
    .orderBy('format_id')
    .execute()
  return rows.map((row) => JSON.parse(row.document))
}

/** Puts formats in place of those of the same ids; with `replace`, all others of the publisher go. */
export async function saveCustomFormats(
  tx: Db,
  tenantId: string,
  formats: readonly FormatDocument[],
  { replace }: { readonly replace: boolean },
  now: Date,
): Promise<void> {
  if (replace) await tx.deleteFrom('custom_formats').where('tenant_id', '=', tenantId).execute()
  const first = replace ? 0 : (await loadCustomFormats(tx, tenantId)).length
  for (const [index, format] of formats.entries()) {
    const values = { document: JSON.stringify(format), updated_at: now.toISOString() }
    await tx
      .insertInto('custom_formats')
      .values({ tenant_id: tenantId, format_id: format.id, position: first + index, ...values })
      .onConflict((c) => c.columns(['tenant_id', 'format_id']).doUpdateSet(values))
      .execute()
  }
  await touchProducts(tx, tenantId)
}

/** Removes a format; says whether there was one. Creatives of it stay and are no longer checked. */
export async function deleteCustomFormat(tx: Db, tenantId: string, formatId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('custom_formats')
    .where('tenant_id', '=', tenantId)
    .where('format_id', '=', formatId)
    .executeTakeFirst()
  if (numDeletedRows > 0n) await touchProducts(tx, tenantId)
  return numDeletedRows > 0n
}
