import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operatorOn } from '../../src/compose/operator.ts'
import { startServer } from '../../src/compose/server.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { initialise } from '../../src/operator/init/initialise.ts'
import { issueKey } from '../../src/operator/keys/issue-key.ts'
import { createLog } from '../../src/platform/log.ts'
import { createSafeFetch } from '../../src/platform/net/safe-fetch.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { addPrincipal } from '../../src/store/identity/principals.ts'

// The real server with the demo publisher, a buyer that is no sandbox agent, and no limits of calls. Every outbound address leads to the
// web of the port in the first argument, whose certificate authority is in the environment.
const [, , webPort] = process.argv
const contracts = loadContracts()
const data = mkdtempSync(join(tmpdir(), 'sales-agent-stalls-'))
const config = loadConfig(contracts.base.schemas, {
  environment: {},
  flags: { data, port: 0, mode: 'development', sandbox: true },
})
const safeFetch = createSafeFetch({
  userAgent: 'stalls/1',
  mode: 'development',
  development: { port: Number(webPort) },
  lookup: async () => ['127.0.0.1'],
  ca: process.env.STALLS_CA ?? '',
  politeness: { perHost: 8, perDomain: 64, perAddress: 64, spacingMs: 0 },
})
const server = await startServer(config, { contracts, log: createLog('silent'), safeFetch })
const { result } = await initialise(operatorOn(server.store, config), { demo: true })
const key = await server.store.transaction(async (tx) => {
  const now = new Date()
  await addPrincipal(
    tx,
    { tenantId: result.tenant, principalId: 'stalls', name: 'stalls', sandbox: false, scopes: ['adcp:*'] },
    now,
  )
  return (await issueKey(tx, { tenantId: result.tenant, principalId: 'stalls', scopes: ['adcp:*'], expiresAt: undefined }, now))
    .token
})
console.log(JSON.stringify({ port: server.port, data, key, sandboxKey: result.key }))
