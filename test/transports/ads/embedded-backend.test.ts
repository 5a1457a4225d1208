import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AdServerBackend } from '../../../src/ad-serving/backend.ts'
import { embeddedAdServer } from '../../../src/compose/embedded-ad-server.ts'
import { describeBackend } from '../../ad-serving/contract.ts'
import { SETTINGS } from '../../domain/ad-serving/orders.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

let agent: TestAgent
let backend: AdServerBackend
beforeAll(async () => {
  agent = await startAgent({ demo: true })
  const { store, services } = agent.server
  const { products, wiring } = services
  const parts = {
    store,
    config: agent.config,
    products,
    agentUrl: wiring.agentUrl,
    clock: () => new Date('2026-07-02T00:00:00Z'),
  }
  backend = embeddedAdServer(parts).backend
})
afterAll(() => agent.stop())

/** Changes a line in the store, past the ad server. */
async function tamper({ store }: TestAgent['server'], lineExternalId: string): Promise<void> {
  const changed = { ...SETTINGS, budgetMicros: 1 }
  await store.transaction(async (tx) => {
    const row = await tx.selectFrom('house_lines').selectAll().where('anchor', '=', lineExternalId).executeTakeFirstOrThrow()
    const document = JSON.stringify({ ...JSON.parse(row.document), settings: changed })
    await tx.updateTable('house_lines').set({ document }).where('line_id', '=', row.line_id).execute()
  })
}

describeBackend('embedded', async () => ({
  backend,
  settings: SETTINGS,
  tamper: (_order, lineExternalId) => tamper(agent.server, lineExternalId),
}))

test('caps per visitor are kept, those per household or account are refused', () => {
  const capped = (per: 'individuals' | 'devices' | 'cookies' | 'households' | 'accounts' | 'custom') => () =>
    backend.requireKeepable?.({
      ...SETTINGS,
      targeting: { frequency_cap: { max_impressions: 3, per, window: { interval: 1, unit: 'days' } } },
    })
  for (const per of ['individuals', 'devices', 'cookies'] as const) expect(capped(per)).not.toThrow()
  for (const per of ['households', 'accounts', 'custom'] as const)
    expect(capped(per)).toThrow(expect.objectContaining({ code: 'UNSUPPORTED_FEATURE', message: expect.stringContaining(per) }))
})
