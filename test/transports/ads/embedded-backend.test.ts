import { afterAll, beforeAll } from 'vitest'
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
