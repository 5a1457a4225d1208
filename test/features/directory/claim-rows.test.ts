import { expect, it } from 'vitest'
import { indexFile } from '../../../src/domain/directory/resolve.ts'
import { type DocumentInHand, nextRows } from '../../../src/features/directory/index-document.ts'
import type { DirectoryClaimRow } from '../../../src/store/directory/rows.ts'
import { counted, type Reads } from '../../support/counted.ts'

it('claims that a file had before are read one at a time, with steps in between', () => {
  const verified_at = '2026-03-01T00:00:00.000Z'
  const document: Pick<DocumentInHand, 'index' | 'holds' | 'refreshMs'> & { readonly row: object } = {
    row: { document_id: 'd', url: 'https://p.example/.well-known/adagents.json', verified_at },
    index: indexFile({ kind: 'inline', agents: [], properties: [], revoked: new Map() } as never),
    holds: [],
    refreshMs: 1_000,
  }
  const rows = Array.from({ length: 2_000 }, (_, index) => ({
    agent_id: `a${index}`,
    publisher_domain: 'p.example',
    route: 'own',
    status: 'authorized',
    observed_at: null,
    discovery_method: 'direct',
    manager_domain: null,
    properties_total: 1,
    signing_keys_pinned: 0,
  }))
  const reads: Reads = { count: 0 }
  const steps = nextRows(
    document as DocumentInHand,
    'own',
    counted(rows, reads) as never as DirectoryClaimRow[],
    [],
    Date.parse(verified_at),
  )
  let most = 0
  for (let before = 0, step = steps.next(); !step.done; step = steps.next()) {
    most = Math.max(most, reads.count - before)
    before = reads.count
  }
  expect(reads.count).toBe(rows.length)
  expect(most).toBeLessThan(10)
})
