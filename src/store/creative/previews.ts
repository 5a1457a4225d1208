import { randomBytes } from 'node:crypto'
import type { Db, Store } from '../database.ts'

/** A page that shows a creative. */
export interface PreviewPage {
  readonly html: string
  readonly scripts: boolean
}

/** Where previews are put so that a browser can fetch them. */
export interface Previews {
  /** Keeps pages until `expiresAt` and gives the address of each. */
  publish(tenantId: string, pages: readonly PreviewPage[], now: Date, expiresAt: Date): Promise<readonly string[]>
}

/** Anyone who has the address sees the page, so the id is a secret of 144 bits. */
function newPreviewId(): string {
  return randomBytes(18).toString('base64url')
}

/** Previews in the store, served by this process under `origin`. Expired ones go with each publication. */
export function createPreviews(store: Store, origin: string): Previews {
  return {
    publish: (tenantId, pages, now, expiresAt) =>
      store.transaction(async (tx) => {
        await tx.deleteFrom('previews').where('expires_at', '<=', now.toISOString()).execute()
        const rows = pages.map(({ html, scripts }) => ({
          preview_id: newPreviewId(),
          tenant_id: tenantId,
          html,
          scripts: scripts ? 1 : 0,
          expires_at: expiresAt.toISOString(),
        }))
        for (const row of rows) await tx.insertInto('previews').values(row).execute()
        return rows.map((row) => `${origin}/previews/${row.preview_id}`)
      }),
  }
}

/** A preview that has not expired. */
export async function findPreview(db: Db, previewId: string, now: Date): Promise<PreviewPage | undefined> {
  const row = await db
    .selectFrom('previews')
    .select(['html', 'scripts', 'expires_at'])
    .where('preview_id', '=', previewId)
    .executeTakeFirst()
  return row && row.expires_at > now.toISOString() ? { html: row.html, scripts: row.scripts === 1 } : undefined
}
