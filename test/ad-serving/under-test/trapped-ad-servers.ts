import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A module whose methods write down that they were called; `observe` makes it one that orders are reconciled with. */
const MODULE = `
import { appendFileSync } from 'node:fs'
export default ({ options }) => {
  const called = (method) => appendFileSync(options.file, options.name + ' ' + method + '\\n')
  const capabilities = { booking: 'at_once', pricing: ['cpm'], pacing: ['even'], targeting: [], changesLines: true, pauses: true, ends: true,
    creatives: true, dissociates: true, reports: { by: 'line', period: 'day' } }
  const seen = { name: options.name, description: 'Writes down what it is called with', simulated: false }
  const plenty = (queries) => queries.map(() => ({ available: 1e9, sufficient: true }))
  if (!options.reconciled) return { ...seen,
    async checkAvailability(queries) { return plenty(queries) },
    async book(_anchor, _buy, lines) { called('book'); return { orderId: 'o1', lineIds: new Map(lines.map(({ packageId }) => [packageId, packageId])) } },
    async change(_anchor, orderId, lines) { called('change'); return { orderId, lineIds: new Map(lines.map(({ packageId }) => [packageId, packageId])) } },
    async pause() { called('pause') }, async resume() { called('resume') }, async cancel() { called('cancel') },
    async reportDelivery() { return [] } }
  const write = (method) => async () => { called(method) }
  return { ...seen, capabilities,
    async check() {}, async listInventory() { return { units: [] } }, async forecast(_tenant, queries) { return plenty(queries) },
    async observe() { called('observe'); return undefined },
    putOrder: write('putOrder'), setOrderState: write('setOrderState'), putCreative: write('putCreative'), putLine: write('putLine'),
    associate: write('associate'), setLineState: write('setLineState'),
    async report() { called('report'); return { rows: [] } } }
}
`

/** Ad servers of every type, each of which shows that an order reached it. */
export interface TrappedAdServers {
  /** The setting `adServer.products`: each product lies in an ad server of its type; `embedded` is the default of all others. */
  readonly products: Readonly<Record<string, object>>
  /** Key file of a service account whose tokens are asked for at the trap. */
  readonly keyFile: Readonly<Record<string, unknown>>
  /** Calls that arrived: `module called book`, and methods and paths of HTTP. */
  calls(): readonly string[]
  forget(): void
  close(): Promise<void>
}

/** Opens them: two modules, and an address where every call of the types that book over HTTP arrives. */
export async function trapAdServers(): Promise<TrappedAdServers> {
  const folder = mkdtempSync(join(tmpdir(), 'trapped-'))
  const module = join(folder, 'ad-server.mjs')
  const file = join(folder, 'calls.txt')
  writeFileSync(module, MODULE)
  const seen: string[] = []
  const trap = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    response.writeHead(503).end()
  }).listen(0, '127.0.0.1')
  await once(trap, 'listening')
  const address = trap.address()
  if (address === null || typeof address === 'string') throw new Error('the trap has no port')
  const url = `http://127.0.0.1:${address.port}`
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const keyFile = {
    ...{ type: 'service_account', client_email: 'agent@project.example', private_key_id: 'k' },
    ...{ private_key: privateKey, token_uri: `${url}/token` },
  }
  const place = { adUnits: ['1'], sizes: ['300x250'] }
  const people = { units: ['Front page'] }
  const gam = { network: '4711', endpoint: url, creatives: 'api', products: { gam: place, gam_by_hand: place } }
  const recording = (name: string, reconciled: boolean) => ({
    ...{ type: 'module', module, name, options: { name, reconciled, file } },
  })
  return {
    products: {
      gam: { type: 'google_ad_manager', name: 'gam', options: gam },
      upstream: { type: 'upstream', name: 'upstream', options: { url, network: 'n' } },
      manual: { type: 'manual', name: 'manual', options: { products: { manual: people, manual_by_hand: people } } },
      called: recording('called', false),
      reconciled: recording('reconciled', true),
    },
    keyFile,
    calls: () => [...seen, ...(existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])],
    forget() {
      seen.length = 0
      rmSync(file, { force: true })
    },
    async close() {
      trap.closeAllConnections()
      trap.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
