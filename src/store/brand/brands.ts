import type { BrandDocument, BrandsFile, ConversationOffering, RightsOffering } from '../../domain/brand/brands-file.ts'
import type { BrandClaims } from '../../domain/brand/claims.ts'
import type { BrandHouse } from '../../domain/brand/identity-document.ts'
import type { Db } from '../database.ts'
import type { Document } from './rows.ts'

export interface StoredBrands {
  readonly revision: number
  /** Undefined while nothing was imported. */
  readonly house: BrandHouse | undefined
  readonly brands: readonly BrandDocument[]
  readonly rights: readonly RightsOffering[]
  readonly offerings: readonly ConversationOffering[]
  readonly claims: BrandClaims | undefined
}

/** Revision of a tenant's brands; 0 while it never had any. */
export async function brandsRevision(db: Db, tenantId: string): Promise<number> {
  const row = await db.selectFrom('brand_revisions').select('revision').where('tenant_id', '=', tenantId).executeTakeFirst()
  return row?.revision ?? 0
}

/** The brands of a tenant, their rights and what they talk about, in the order of the file. */
export async function loadBrands(db: Db, tenantId: string): Promise<StoredBrands> {
  const head = await db.selectFrom('brand_revisions').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()
  const documents = async (table: 'brands' | 'rights_offerings' | 'conversation_offerings') => {
    const rows = await db.selectFrom(table).select('document').where('tenant_id', '=', tenantId).orderBy('position').execute()
    return rows.map((row) => JSON.parse(row.document))
  }
  return {
    revision: head?.revision ?? 0,
    house: head && JSON.parse(head.house),
    brands: await documents('brands'),
    rights: await documents('rights_offerings'),
    offerings: await documents('conversation_offerings'),
    claims: typeof head?.claims === 'string' ? JSON.parse(head.claims) : undefined,
  }
}

/** Replaces a tenant's brands with those of a file. Grants keep what was agreed. */
export async function saveBrands(tx: Db, tenantId: string, file: BrandsFile, now: Date): Promise<void> {
  const head = {
    house: JSON.stringify(file.house),
    claims: file.claims ? JSON.stringify(file.claims) : null,
    revision: (await brandsRevision(tx, tenantId)) + 1,
    updated_at: now.toISOString(),
  }
  await tx
    .insertInto('brand_revisions')
    .values({ tenant_id: tenantId, ...head })
    .onConflict((c) => c.column('tenant_id').doUpdateSet(head))
    .execute()
  for (const table of ['brands', 'rights_offerings', 'conversation_offerings'] as const)
    await tx.deleteFrom(table).where('tenant_id', '=', tenantId).execute()
  const row = (position: number, document: object): Document => ({
    tenant_id: tenantId,
    position,
    document: JSON.stringify(document),
  })
  for (const [position, brand] of file.brands.entries())
    await tx
      .insertInto('brands')
      .values({ ...row(position, brand), brand_id: brand.brand_id })
      .execute()
  for (const [position, right] of (file.rights ?? []).entries())
    await tx
      .insertInto('rights_offerings')
      .values({ ...row(position, right), rights_id: right.rights_id })
      .execute()
  for (const [position, offering] of (file.offerings ?? []).entries()) {
    const values = { ...row(position, offering), offering_id: offering.offering_id }
    await tx.insertInto('conversation_offerings').values(values).execute()
  }
}
