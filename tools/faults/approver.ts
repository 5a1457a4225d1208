/**
 * The seller's side of the fault rounds, in a process of its own that gets killed like the server: approves whatever waits, for as long as it
 * lives. Arguments: data folder, address of the agent.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { singleAdServer } from '../../src/ad-serving/ad-servers.ts'
import { createSimulator } from '../../src/ad-serving/simulator/simulator.ts'
import { createImportedBrands } from '../../src/features/brands/imported-brands.ts'
import type { Governance } from '../../src/features/governance/governance.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { listApprovals } from '../../src/store/approval/approvals.ts'
import { brandsRevision, loadBrands } from '../../src/store/brand/brands.ts'
import { listTenants } from '../../src/store/identity/tenants.ts'

import { openStore } from '../../src/store/open.ts'
import { createProductCache } from '../../src/store/product/product-cache.ts'
import { approve } from '../../src/tasks/approvals/decide.ts'

const [data = '', agentUrl = ''] = process.argv.slice(2)
const store = await openStore({ data, databaseConnections: 1 }, { create: false })
/** No account of these rounds has a governance agent. */
const governance: Governance = {
  check: async () => ({ planId: undefined, approvals: [], presented: undefined }),
  record: async () => {},
}
const services = {
  store,
  contracts: loadContracts(),
  adServers: singleAdServer(createSimulator()),
  products: createProductCache(agentUrl),
  wiring: { agentUrl, conformance: false, timeZone: 'UTC' },
  governance,
  brands: createImportedBrands({
    revision: (tenantId) => brandsRevision(store.read, tenantId),
    load: (tenantId) => loadBrands(store.read, tenantId),
    // No rights are acquired in these rounds.
    secretFor: (name) => name,
  }),
  attestations: { of: () => Promise.reject(new Error('no rights are acquired in these rounds')) },
}
const [tenant] = await listTenants(store.read)
process.stdout.write('ready\n')
for (;;) {
  for (const { taskId } of await listApprovals(store.read, tenant?.tenantId ?? '', ['waiting', 'approving'], 100)) {
    const started = Date.now()
    await approve(services, tenant?.tenantId ?? '', taskId, ['as agreed on the phone'], new Date(started)).catch(
      (error: unknown) => process.stderr.write(`${taskId}: ${String(error)}\n`),
    )
  }
  await sleep(20)
}
