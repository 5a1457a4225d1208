import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** A hosted file, without its content. */
export interface EmbeddedFile {
  /** Digest of the content, in hexadecimal. */
  readonly fileId: string
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
}

/** Bytes of one part: a multiple of three, so that base64 has no padding between parts, and a statement that takes milliseconds. */
export const PART_BYTES = 3 * 131_072

/** A file whose parts are written one by one; it is served from {@link completeEmbeddedFile} on. */
export async function beginEmbeddedFile(
  tx: Db,
  tenantId: string,
  { fileId, mimeType, size }: EmbeddedFile,
  now: Date,
): Promise<void> {
  const written_at = now.toISOString()
  await tx
    .insertInto('embedded_files')
    .values({ tenant_id: tenantId, file_id: fileId, mime_type: mimeType, size, complete: 0, written_at })
    // The sweep leaves what was written lately.
    .onConflict((c) => c.columns(['tenant_id', 'file_id']).doUpdateSet({ written_at }))
    .execute()
}

export async function putEmbeddedFilePart(tx: Db, tenantId: string, fileId: string, part: number, bytes: Buffer): Promise<void> {
  await tx
    .insertInto('embedded_file_parts')
    .values({ tenant_id: tenantId, file_id: fileId, part, content: bytes.toString('base64') })
    .onConflict((c) => c.columns(['tenant_id', 'file_id', 'part']).doNothing())
    .execute()
}

export async function completeEmbeddedFile(tx: Db, tenantId: string, fileId: string): Promise<void> {
  await tx
    .updateTable('embedded_files')
    .set({ complete: 1 })
    .where('tenant_id', '=', tenantId)
    .where('file_id', '=', fileId)
    .execute()
}

/** A file that can be served. */
export async function findEmbeddedFile(db: Db, tenantId: string, fileId: string): Promise<EmbeddedFile | undefined> {
  const row = await db
    .selectFrom('embedded_files')
    .select(['mime_type', 'size'])
    .where('tenant_id', '=', tenantId)
    .where('file_id', '=', fileId)
    .where('complete', '=', 1)
    .executeTakeFirst()
  return row && { fileId, mimeType: row.mime_type, size: row.size }
}

/** Content of one part, {@link PART_BYTES} long but for the last; undefined when there is none. */
export async function readEmbeddedFilePart(db: Db, tenantId: string, fileId: string, part: number): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('embedded_file_parts')
    .select('content')
    .where('tenant_id', '=', tenantId)
    .where('file_id', '=', fileId)
    .where('part', '=', part)
    .executeTakeFirst()
  return row && Buffer.from(row.content, 'base64')
}

/** Names the files of an HTML5 bundle by their path in it. */
export async function putEmbeddedBundle(
  tx: Db,
  tenantId: string,
  bundleId: string,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [path, file_id] of files)
    await tx
      .insertInto('embedded_bundle_files')
      .values({ tenant_id: tenantId, bundle_id: bundleId, path, file_id })
      .onConflict((c) => c.columns(['tenant_id', 'bundle_id', 'path']).doUpdateSet({ file_id }))
      .execute()
}

/** Id of a file of a bundle. */
export async function findBundleFile(db: Db, tenantId: string, bundleId: string, path: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('embedded_bundle_files')
    .select('file_id')
    .where('tenant_id', '=', tenantId)
    .where('bundle_id', '=', bundleId)
    .where('path', '=', path)
    .executeTakeFirst()
  return row?.file_id
}

/** Says which files and bundles a creative uses from now on. */
export async function replaceEmbeddedFileUses(
  tx: Db,
  tenantId: string,
  usedBy: string,
  fileIds: readonly string[],
): Promise<void> {
  await tx.deleteFrom('embedded_file_uses').where('tenant_id', '=', tenantId).where('used_by', '=', usedBy).execute()
  for (const file_id of new Set(fileIds)) await addEmbeddedFileUse(tx, tenantId, usedBy, file_id)
}

export async function addEmbeddedFileUse(tx: Db, tenantId: string, usedBy: string, fileId: string): Promise<void> {
  await tx
    .insertInto('embedded_file_uses')
    .values({ tenant_id: tenantId, used_by: usedBy, file_id: fileId })
    .onConflict((c) => c.columns(['tenant_id', 'used_by', 'file_id']).doNothing())
    .execute()
}

/** Drops files that no creative uses and that were written before a time, at most `limit` of them, and gives their number. */
export async function sweepEmbeddedFiles(tx: Db, before: Date, limit: number): Promise<number> {
  const inBundleOfCreative = sql<boolean>`exists (select 1 from embedded_bundle_files b
    join embedded_file_uses u on u.tenant_id = b.tenant_id and u.file_id = b.bundle_id
    where b.tenant_id = embedded_files.tenant_id and b.file_id = embedded_files.file_id)`
  const ofCreative = sql<boolean>`exists (select 1 from embedded_file_uses u
    where u.tenant_id = embedded_files.tenant_id and u.file_id = embedded_files.file_id)`
  const old = await tx
    .selectFrom('embedded_files')
    .select(['tenant_id', 'file_id'])
    .where('written_at', '<', before.toISOString())
    .where((e) => e.not(e.or([ofCreative, inBundleOfCreative])))
    .limit(limit)
    .execute()
  for (const { tenant_id, file_id } of old)
    for (const table of ['embedded_bundle_files', 'embedded_file_parts', 'embedded_files'] as const)
      await tx.deleteFrom(table).where('tenant_id', '=', tenant_id).where('file_id', '=', file_id).execute()
  return old.length
}
