import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { SealedElsewhere, sealEntries, writeEntries } from '../../../src/store/audit/audit.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'

it('an entry that another process chained between two statements is not chained twice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'))
  const store = await openSqlite(join(folder, 'store.db'))
  const entry = { at: '2026-01-01T00:00:00.000Z', tenant: 'acme', transport: 'mcp', request: 'r1', task: 'get_x', outcome: 'ok' }
  await store.transaction((tx) => writeEntries(tx, [entry]))
  const raced = store.transaction(async (tx) => {
    // What READ COMMITTED allows: the other process commits after the entries were read and before the head of the chain is.
    let stale: Record<string, unknown>[] | undefined = await tx.selectFrom('audit_entries').selectAll().execute()
    expect(await sealEntries(tx, 500)).toBe(1)
    const late = tx.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        const rows = stale ?? result.rows
        stale = undefined
        return { ...result, rows }
      },
    })
    return sealEntries(late, 500)
  })
  await expect(raced).rejects.toThrow(SealedElsewhere)
  await store.close()
  rmSync(folder, { recursive: true })
})
