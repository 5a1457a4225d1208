import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { performHere } from '../../src/cli/operate.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { startServer } from '../../src/compose/server.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { initialise } from '../../src/operator/init/initialise.ts'
import { issueKey } from '../../src/operator/keys/issue-key.ts'
import { invitePerson } from '../../src/operator/people/invite-person.ts'
import { createLog } from '../../src/platform/log.ts'
import { peerOf } from '../../src/platform/net/peer.ts'
import { createSafeFetch } from '../../src/platform/net/safe-fetch.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { addPrincipal } from '../../src/store/identity/principals.ts'
import { listen, type Routes } from '../../src/transports/http/server.ts'
import { createAdminKey } from '../../test/support/operator.ts'
import { meterTurns } from './turn-meter.ts'

// The real server with the demo publisher, a buyer that is no sandbox agent, and no limits of calls. Every outbound address leads to the
// web of the port in the first argument, whose certificate authority is in the environment. The second, if any, is how far the clock is
// ahead, in milliseconds; the third a module with `routes` that are served beside those of the server.
const [, , webPort, clockShiftMs = '0', moreRoutes] = process.argv
/** Settings that would refuse a bench for the number of its requests. */
const LIMITS = [
  ...['adminRequests', 'anonymous', 'reads', 'changes', 'failuresPerAddress', 'failuresPerCredential'].map(
    (name) => `limits.${name}`,
  ),
  ...['requests', 'requestsPerAddress', 'continuations'].map((name) => `directory.${name}`),
  ...['decisionsPerAddress', 'eventsPerAddress'].map((name) => `ads.${name}`),
]
if (process.send) meterTurns()
const contracts = loadContracts()
const data = mkdtempSync(join(tmpdir(), 'sales-agent-stalls-'))
const config = loadConfig(contracts.base.schemas, {
  environment: {},
  flags: {
    ...{ data, port: 0, mode: 'development', sandbox: true, 'oauth.enabled': true, 'metrics.token': 'token-of-the-scraper' },
    ...Object.fromEntries(LIMITS.map((name) => [name, 1_000_000])),
  },
})
const safeFetch = createSafeFetch({
  userAgent: 'stalls/1',
  mode: 'development',
  development: { port: Number(webPort) },
  lookup: async () => ['127.0.0.1'],
  ca: process.env.STALLS_CA ?? '',
  politeness: { perHost: 8, perDomain: 64, perAddress: 64, spacingMs: 0 },
})
const clock = () => new Date(Date.now() + Number(clockShiftMs))
const log = createLog('silent')
const server = await startServer(config, { contracts, log, safeFetch, clock })
const operator = { ...operatorOn(server.store, config), clock }
const { result } = await initialise(operator, { demo: true })
const key = await server.store.transaction(async (tx) => {
  const now = clock()
  await addPrincipal(
    tx,
    { tenantId: result.tenant, principalId: 'stalls', name: 'stalls', sandbox: false, scopes: ['adcp:*'] },
    now,
  )
  return (await issueKey(tx, { tenantId: result.tenant, buyer: 'stalls', scopes: ['adcp:*'], expiresAt: undefined }, now)).token
})
const administrator = { tenantId: result.tenant, name: 'stalls', role: 'administrator' as const, deployment: true }
const adminKey = (await createAdminKey(operator, administrator)).token
const { link } = await performHere(operator, result.tenant, invitePerson, { role: 'administrator' })
const invitation = link.split('/').at(-1)
const more: { routes: Routes } = moreRoutes === undefined ? { routes: [] } : await import(pathToFileURL(moreRoutes).href)
const routes = [...more.routes, ...server.routes]
// With routes of others a second listener serves them all.
const { port } =
  more.routes.length === 0
    ? server
    : await listen({ host: config.host, port: 0, drainMs: 1_000, log, peerOf: peerOf(config) }, { current: routes })
const said = {
  ...{ port, data, key, sandboxKey: result.key, adminKey, invitation, tenant: result.tenant },
  routes: routes.map(([pattern]) => pattern.source),
}
console.log(JSON.stringify(said))
