import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { verifyChain } from '../../../src/features/audit/verify-chain.ts'
import { exportAudit } from '../../../src/operator/audit/read-audit.ts'
import { readLinks, sealEntries, writeEntries } from '../../../src/store/audit/audit.ts'
import { openSqlite } from '../../../src/store/sqlite/sqlite.ts'

it('a chain of large entries is read a megabyte at a time, and whole', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'))
  const store = await openSqlite(join(folder, 'store.db'))
  const entry = {
    at: '2026-01-01T00:00:00.000Z',
    tenant: 'acme',
    transport: 'http',
    request: 'r1',
    task: 'x.change',
    outcome: 'ok',
  }
  const entries = Array.from({ length: 7 }, (_, n) => ({
    ...entry,
    request: `r${n}`,
    changes: { text: [null, 'x'.repeat(400_000)] as const },
  }))
  await store.transaction((tx) => writeEntries(tx, entries))
  await store.transaction((tx) => sealEntries(tx, 500))
  const { links, isCut } = await readLinks(store.read, 'acme', 0, 1_000)
  expect([links.map(({ seq }) => seq), isCut]).toEqual([[1, 2], true])
  expect((await readLinks(store.read, 'acme', 5, 1_000)).isCut).toBe(false)
  const numbers: number[] = []
  for await (const { number, bytes } of exportAudit({ store }, 'acme')) {
    expect(bytes).toBeGreaterThan(400_000)
    numbers.push(number)
  }
  expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(await verifyChain(store.read, 'acme')).toMatchObject({ links: 7 })
  await store.close()
  rmSync(folder, { recursive: true })
})
