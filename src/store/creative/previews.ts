import { randomBytes } from 'node:crypto'
import { forEachChunk } from '../chunks.ts'
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

/**
 * Previews in the store, served by this process under `origin`. Expired ones go with each publication. A call may publish ten thousand: each part of them is a transaction of its
 * own, and others are served between two. What a failure leaves has no address that anybody knows, and expires.
 */
export function createPreviews(store: Store, origin: string): Previews {
  return {
    async publish(tenantId, pages, now, expiresAt) {
      await store.transaction((tx) => tx.deleteFrom('previews').where('expires_at', '<=', now.toISOString()).execute())
      const addresses: string[] = []
      await forEachChunk(pages, async (chunk) => {
        const rows = chunk.map(({ html, scripts }) => ({
          preview_id: newPreviewId(),
          tenant_id: tenantId,
          html,
          scripts: scripts ? 1 : 0,
          expires_at: expiresAt.toISOString(),
        }))
        await store.transaction((tx) => tx.insertInto('previews').values(rows).execute())
        for (const { preview_id: id } of rows) addresses.push(`${origin}/previews/${id}`)
      })
      return addresses
    },
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
