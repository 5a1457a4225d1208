import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { builtInAdServers } from '../../src/compose/backend-types.ts'
import { chooseAdServers } from '../../src/compose/choose-ad-servers.ts'
import { embeddedBackend } from '../../src/compose/embedded-ad-server.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { redactedConfig } from '../../src/config/redacted-config.ts'
import { HeldInventory } from '../../src/domain/media-buy/held-inventory.ts'
import { createLog } from '../../src/platform/log.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { createProductCache } from '../../src/store/product/product-cache.ts'
import { openSqlite, type SqliteStore } from '../../src/store/sqlite/sqlite.ts'

const contracts = loadContracts()
const { schemas } = contracts.base
const agentUrl = 'http://127.0.0.1:3000/mcp'
let folder: string
let store: SqliteStore
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ad-servers-'))
  store = await openSqlite(join(folder, 'store.db'))
  writeFileSync(join(folder, 'stub.mjs'), moduleOf('answers'))
  mkdirSync(join(folder, 'node_modules/their-ad-server'), { recursive: true })
  writeFileSync(join(folder, 'node_modules/their-ad-server/package.json'), '{"type":"module","exports":"./main.js"}')
  writeFileSync(join(folder, 'node_modules/their-ad-server/main.js'), moduleOf('theirs'))
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A module whose ad server has the given name and answers with what its options say. */
function moduleOf(name: string): string {
  return `export default ({ options, tenantId }) => ({
    name: '${name}', description: 'Of ' + tenantId, simulated: false,
    async checkAvailability() { if (options.fails) throw Object.assign(new Error('sold'), options.fails); return options.answer },
    async book() { return options.answer },
    async change() { return options.answer },
    async pause() {}, async resume() {}, async cancel() {},
    async reportDelivery() { return options.answer },
  })`
}

function choose(settings: object) {
  const file = join(folder, 'configuration.json')
  writeFileSync(file, JSON.stringify(settings))
  const config = loadConfig(schemas, { environment: {}, file })
  return chooseAdServers(config, {
    store,
    log: createLog('silent'),
    contracts,
    builtIn: builtInAdServers(config, 'a secret of tests', () => new Date()),
    embedded: embeddedBackend({ store, config, products: createProductCache(agentUrl), agentUrl, clock: () => new Date() }),
  })
}

const STUB = { type: 'module', module: './stub.mjs' }
const production = { sandbox: false }

describe('the ad servers of a configuration', () => {
  it('are the embedded one when it names none', async () => {
    const adServers = await choose({})
    expect(adServers.list('acme')).toMatchObject([{ name: 'embedded', simulated: false }])
    expect(adServers.of('acme', { sandbox: true }).simulated).toBe(true)
  })

  it('serve the deployment, a publisher, a product: the nearest wins', async () => {
    const adServers = await choose({
      adServer: { type: 'module', module: 'their-ad-server' },
      tenants: {
        acme: {
          adServer: {
            ...STUB,
            products: { banner: { type: 'simulator' }, spot: { ...STUB, name: 'second', options: { a: 1 } } },
          },
        },
      },
    })
    expect(adServers.list('other').map(({ name, description }) => [name, description])).toEqual([['theirs', 'Of undefined']])
    expect(adServers.list('acme').map(({ name, products }) => [name, products])).toEqual([
      ['answers', undefined],
      ['simulator', ['banner']],
      ['second', ['spot']],
    ])
    expect(adServers.of('acme', production)).toMatchObject({ name: 'answers+simulator+second', simulated: false })
  })

  it('never take orders of sandbox buyers', async () => {
    const adServers = await choose({ adServer: STUB })
    expect(adServers.of('acme', { sandbox: true })).toMatchObject({ name: 'simulator', simulated: true })
    expect((await adServers.of('acme', { sandbox: true }).book('a', 'mb', [])).orderId).toBe('')
  })

  it('are shared by products with the same settings', async () => {
    const adServers = await choose({ adServer: { type: 'simulator', products: { one: STUB, two: STUB } } })
    expect(adServers.list('acme')).toMatchObject([{ name: 'simulator' }, { name: 'answers', products: ['one', 'two'] }])
  })
})

describe('a module that is no ad server is refused', () => {
  const broken = (text: string) => {
    // A module is loaded once, so each needs a file of its own.
    const copy = `broken-${text.length}.mjs`
    writeFileSync(join(folder, copy), text)
    return choose({ adServer: { type: 'module', module: `./${copy}` } })
  }
  it.each([
    [
      'a missing file',
      () => choose({ adServer: { type: 'module', module: './none.mjs' } }),
      /adServer\.module .*none\.mjs\) is no file/,
    ],
    [
      'a missing package',
      () => choose({ adServer: { type: 'module', module: 'no-such-ad-server' } }),
      /is not installed: no such package is found from/,
    ],
    ['no factory', () => broken('export const start = 1'), /no function as default export.*It exports: start/],
    ['broken code', () => broken('export default ('), /cannot be loaded: /],
    [
      'a factory that throws',
      () => broken("export default () => { throw new Error('no password') }"),
      /could not make its ad server: no password/,
    ],
    [
      'missing members',
      () => broken("export default () => ({ name: 'x', description: 'y', book() {} })"),
      /missing methods: checkAvailability, change, pause, resume, cancel, reportDelivery; simulated must be true or false/,
    ],
    ['nothing', () => broken('export default () => undefined'), /it is undefined, not an object/],
    [
      'a name for ids that cannot be stored',
      () =>
        choose({
          tenants: { acme: { adServer: { ...STUB, module: './stub.mjs', products: { p: { ...STUB, options: { a: 1 } } } } } },
        }),
      /names two ad servers "answers"; give each a name/,
    ],
  ])('%s', async (_what, act, message) => {
    await expect(act()).rejects.toThrow(message)
  })

  it.each([
    [{ adServer: { type: 'module' } }, 'adServer has type module and needs module'],
    [{ adServer: { module: './stub.mjs' } }, 'adServer.module belongs to type: module, but the type here is embedded'],
    [{ tenants: { acme: { adServer: { type: 'gam' } } } }, 'tenants.acme.adServer.type'],
    [{ adServer: { type: 'module', module: './stub.mjs', name: 'No Spaces' } }, 'adServer.name'],
  ])('%j by the check of the configuration', async (settings, message) => {
    await expect(async () => choose(settings)).rejects.toThrow(message)
  })
})

describe('an answer of a module is checked', () => {
  const ask = async (options: object) => {
    const adServers = await choose({ adServer: { ...STUB, options } })
    return adServers.of('acme', production)
  }
  const query = {
    productId: 'p',
    flight: { startsAt: '', endsAt: '' },
    impressions: 1,
    dailyCapacity: 1,
    held: new HeldInventory(new Map()),
  }

  it('before a booking without ids is stored', async () => {
    const adServer = await ask({ answer: { orderId: '' } })
    // @ts-expect-error: the line does not matter to this module
    await expect(adServer.book('a', 'mb', [{ packageId: 'p', productId: 'p' }])).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      cause: { message: 'answers.book failed', cause: { message: expect.stringContaining('orderId must be a text') } },
    })
  })

  it('before a report is shown; figures that are left out count as 0', async () => {
    const days = [{ day: '2026-01-01', impressions: 5 }]
    const good = await ask({ answer: [{ packageId: 'p', days }] })
    const lines = [
      {
        packageId: 'p',
        lineId: 'answers:1',
        pricing: { pricingOptionId: 'c', model: 'cpm', basis: 'fixed', currency: 'USD', maxBid: false },
        channels: [],
        terms: [],
        serving: [],
        recorded: [],
      },
    ] as const
    expect(await good.reportDelivery(lines, new Date())).toMatchObject([
      { days: [{ impressions: 5, clicks: 0, spendMicros: 0 }] },
    ])
    const part = await ask({ answer: [{ packageId: 'p', days: [{ day: 'yesterday', impressions: 7 }, ...days] }] })
    expect(await part.reportDelivery(lines, new Date())).toMatchObject([{ days: [{ day: '2026-01-01', impressions: 5 }] }])
    const bad = await ask({ answer: [{ packageId: 'p', days: 'yesterday' }] })
    await expect(bad.reportDelivery(lines, new Date())).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
  })

  it('and its errors keep the codes of AdCP, and no others', async () => {
    const sold = await ask({ fails: { code: 'PRODUCT_UNAVAILABLE' } })
    await expect(sold.checkAvailability([query])).rejects.toMatchObject({ code: 'PRODUCT_UNAVAILABLE', message: 'sold' })
    const down = await ask({ fails: { code: 'ECONNREFUSED' } })
    await expect(down.checkAvailability([query])).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.not.stringContaining('sold'),
    })
  })
})

it('options of modules are never shown', () => {
  const adServer = {
    ...STUB,
    options: { password: 'swordfish' },
    products: { p: { ...STUB, options: { password: 'swordfish' } } },
  }
  const config = loadConfig(schemas, { environment: {}, flags: { adServer, tenants: { acme: { adServer } } } })
  expect(config.adServer.options).toEqual({ password: 'swordfish' })
  expect(JSON.stringify(redactedConfig(config))).not.toContain('swordfish')
  expect(redactedConfig(config).adServer.options).toEqual({ password: '…' })
})
