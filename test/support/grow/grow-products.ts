import type { Store } from '../../../src/store/database.ts'
import { insertCopies } from './insert-copies.ts'

/** Copies the first products of a publisher until there are `wanted`. */
export async function growProducts(store: Store, tenantId: string, wanted: number): Promise<void> {
  const models = await store.read
    .selectFrom('products')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('owner', '=', '')
    .orderBy('position')
    .limit(10)
    .execute()
  const have = (await store.read.selectFrom('products').select('product_id').where('tenant_id', '=', tenantId).execute()).length
  await store.transaction(async (tx) => {
    for (const [index, model] of models.entries()) {
      const document = JSON.parse(model.document)
      const copies = Array.from({ length: Math.max(0, wanted - have) }, (_empty, n) => have + n)
        .filter((n) => n % models.length === index)
        .map((n) => {
          const id = `${model.product_id}-${n}`
          return {
            product_id: id,
            position: 1000 + n,
            document: JSON.stringify({ ...document, product_id: id, name: `Product ${n}` }),
          }
        })
      if (copies.length > 0) await insertCopies(tx, 'products', model, copies)
    }
    await tx
      .updateTable('tenants')
      .set((eb) => ({ products_revision: eb('products_revision', '+', 1) }))
      .where('tenant_id', '=', tenantId)
      .execute()
  })
}
