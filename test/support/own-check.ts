import type { Store } from '../../src/store/database.ts'
import { claimCheck, endCheck } from '../../src/store/seller-check/seller-checks.ts'

/** Stores a check of the agent by itself that broke one promise, with a text in it that came from elsewhere. */
export async function storeOwnCheck(store: Store, text: string, at: Date): Promise<void> {
  const [period, now] = ['2026-02-23', at.toISOString()]
  await claimCheck(store, period, at, 0)
  const check = { id: 'context-returned', group: 'discovery', title: text, outcome: 'broken', because: text, steps: [] }
  const report = {
    started_at: now,
    ended_at: now,
    brief: text,
    sellers: [{ url: 'https://seller.example/mcp', checks: [check] }],
  }
  const files = { report: JSON.stringify(report), signature: 'e30..', publicKey: '{}', page: '<!doctype html>' }
  await endCheck(store, { period, tenantId: undefined, startedAt: now, endedAt: now, held: [], broken: [check.id] }, files, 10)
}
