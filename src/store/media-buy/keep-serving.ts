import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Package, Window } from '../../domain/media-buy/media-buy.ts'
import type { Db } from '../database.ts'

/** Adds stretches in which creatives served to those of a package; its terms stay what they are, and so does the revision of its buy. */
export async function keepServing(
  tx: Db,
  { tenantId }: PrincipalRef,
  packageId: string,
  windows: readonly Window[],
): Promise<void> {
  const row = await tx
    .selectFrom('packages')
    .select('document')
    .where('tenant_id', '=', tenantId)
    .where('package_id', '=', packageId)
    .executeTakeFirst()
  if (!row) return
  const pkg: Package = JSON.parse(row.document)
  const document = JSON.stringify({ ...pkg, pastServing: [...pkg.pastServing, ...windows] } satisfies Package)
  await tx
    .updateTable('packages')
    .set({ document })
    .where('tenant_id', '=', tenantId)
    .where('package_id', '=', packageId)
    .execute()
}
