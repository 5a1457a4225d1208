import type { ProductDocument, ProductsFile } from '../../domain/product/products-file.ts'
import type { Db } from '../database.ts'
import { headRow } from './products.ts'
import { nextRevision, touchProducts } from './products-revision.ts'

/**
 * Replaces a tenant's products with imported ones. Products that it no longer lists stay for the media buys that refer to
 * them, unless `merge` keeps them on sale. Parts that the file leaves out (publisher, properties, collections, plans) stay as they are,
 * and so does the row of a product that the file has as it is: its revision says what changed.
 */
export async function saveProducts(
  tx: Db,
  tenantId: string,
  file: ProductsFile,
  options: { readonly merge: boolean },
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  const revision = await nextRevision(tx, tenantId)
  if (!options.merge)
    await removeOthers(tx, tenantId, new Set(file.products.map((product) => product.product_id)), { at, revision })
  const positionOf = options.merge ? await mergedPositions(tx, tenantId) : (_id: string, index: number) => index
  for (const [index, document] of file.products.entries()) {
    await writeProduct(tx, tenantId, '', { position: positionOf(document.product_id, index), document, at, revision })
  }
  const previous = await headRow(tx, tenantId)
  const values = {
    publisher: file.publisher ? JSON.stringify(file.publisher) : (previous?.publisher ?? null),
    properties: file.properties ? JSON.stringify(file.properties) : (previous?.properties ?? '[]'),
    collections: file.collections ? JSON.stringify(file.collections) : (previous?.collections ?? '[]'),
    plans: file.plans ? JSON.stringify(file.plans) : (previous?.plans ?? '[]'),
    updated_at: at,
  }
  await tx
    .insertInto('publisher_inventory')
    .values({ tenant_id: tenantId, ...values })
    .onConflict((c) => c.column('tenant_id').doUpdateSet(values))
    .execute()
  await touchProducts(tx, tenantId)
}

/** Products that are on sale stay where they are in the list, new ones come after them. */
async function mergedPositions(tx: Db, tenantId: string): Promise<(id: string, index: number) => number> {
  const rows = await tx
    .selectFrom('products')
    .select(['product_id', 'position'])
    .where('tenant_id', '=', tenantId)
    .where('owner', '=', '')
    .where('removed_at', 'is', null)
    .execute()
  const positions = new Map(rows.map(({ product_id: id, position }) => [id, position]))
  const end = rows.reduce((highest, { position }) => Math.max(highest, position + 1), 0)
  return (id, index) => positions.get(id) ?? end + index
}

/** Takes the products that a file does not list off sale. */
async function removeOthers(
  tx: Db,
  tenantId: string,
  listed: ReadonlySet<string>,
  { at, revision }: { readonly at: string; readonly revision: number },
): Promise<void> {
  const onSale = await tx
    .selectFrom('products')
    .select('product_id')
    .where('tenant_id', '=', tenantId)
    .where('owner', '=', '')
    .where('removed_at', 'is', null)
    .execute()
  for (const { product_id } of onSale) {
    if (listed.has(product_id)) continue
    await tx
      .updateTable('products')
      .set({ removed_at: at, revision })
      .where('tenant_id', '=', tenantId)
      .where('owner', '=', '')
      .where('product_id', '=', product_id)
      .execute()
  }
}

/** What the row of a product is to hold. `at`: ISO 8601. */
export interface ProductRow {
  readonly position: number
  readonly document: ProductDocument
  readonly at: string
  readonly revision: number
}

/** Writes a product; a row that holds it already stays untouched. */
export async function writeProduct(
  tx: Db,
  tenantId: string,
  owner: string,
  { position, document, at, revision }: ProductRow,
): Promise<void> {
  const values = { position, document: JSON.stringify(document), removed_at: null, updated_at: at, revision }
  await tx
    .insertInto('products')
    .values({ tenant_id: tenantId, owner, product_id: document.product_id, created_at: at, ...values })
    .onConflict((c) =>
      c
        .columns(['tenant_id', 'owner', 'product_id'])
        .doUpdateSet(values)
        .where((eb) =>
          eb.or([
            eb('products.document', '<>', values.document),
            eb('products.position', '<>', position),
            eb('products.removed_at', 'is not', null),
          ]),
        ),
    )
    .execute()
}
