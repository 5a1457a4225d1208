import { linkSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { actsCommand } from '../../src/cli/act-command.ts'
import { formatActs } from '../../src/operator/formats/acts.ts'
import { productActs } from '../../src/operator/products/acts.ts'
import { signalActs } from '../../src/operator/signals/acts.ts'
import { listAudit } from '../../src/store/audit/audit.ts'
import { adminClient } from '../support/admin-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { createAdminKey, operatorBeside } from '../support/operator.ts'

/** More than a page. */
const PRODUCTS = Array.from({ length: 60 }, (_, index) => productDocument(`p${index}`))
const folder = mkdtempSync(join(tmpdir(), 'product-acts-'))
let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent(PRODUCTS)
})
afterAll(async () => {
  await agent.stop()
  rmSync(folder, { recursive: true })
})

const products = () => actsCommand('products', productActs)
const run = async (group: Command, ...words: string[]) => {
  const print = vi.spyOn(console, 'log').mockImplementation(() => {})
  try {
    await group.parseAsync([...words, '--data', agent.config.data], { from: 'user' })
    return String(print.mock.lastCall?.[0])
  } finally {
    print.mockRestore()
  }
}
const json = async (group: Command, ...words: string[]) => JSON.parse(await run(group, ...words, '--json'))
const written = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

it('a list is shown whole, and by pages where one is asked for', async () => {
  const all = await json(products(), 'list')
  expect([all.items.length, all.total, all.next_cursor]).toEqual([60, 60, null])
  const page = await json(products(), 'list', '--limit', '10')
  expect([page.items.length, page.next_cursor]).toEqual([10, expect.any(String)])
  const next = await json(products(), 'list', '--cursor', page.next_cursor)
  expect(next.items[0].product_id).toBe('p10')
  expect((await run(products(), 'list')).split('\n')).toHaveLength(62)
})

it('values are set as column=value, and another form is refused', async () => {
  expect(await json(products(), 'set', 'p1', 'name=Front page', 'daily_capacity=1234')).toMatchObject({
    product: { product_id: 'p1', name: 'Front page', selling: { daily_capacity: 1234 } },
    orders: [],
  })
  await expect(run(products(), 'set', 'p1', 'name')).rejects.toThrow('"name" is not of the form column=value')
})

it('an import asks before it takes something away, and is in the audit log once', async () => {
  const file = join(folder, 'products.json')
  await run(products(), 'export', '--out', file)
  const own = join(agent.config.data, 'own.json')
  writeFileSync(own, 'kept')
  await expect(run(products(), 'export', '--out', own)).rejects.toThrow('is a file of the data folder, and would be lost')
  const linked = join(folder, 'linked.json')
  linkSync(own, linked)
  await expect(run(products(), 'export', '--out', linked)).rejects.toThrow('is a file of the data folder, and would be lost')
  expect(readFileSync(own, 'utf8')).toBe('kept')
  const document = JSON.parse(readFileSync(file, 'utf8'))
  document.products = document.products.slice(1)
  const fewer = written('fewer.json', JSON.stringify(document))
  expect(await json(products(), 'import', fewer, '--merge')).toMatchObject({ tenant: agent.tenant, dry_run: false, removed: [] })
  await expect(run(products(), 'import', fewer, '--replace')).rejects.toThrow('this takes away 1: p0.')
  expect(await run(products(), 'import', fewer, '--replace', '--dry-run')).toMatch(
    /^would import into \S+: 0 added, 0 changed, 1 removed, 59 unchanged\n- p0$/,
  )
  expect(await json(products(), 'import', fewer, '--replace', '--yes')).toMatchObject({ removed: ['p0'] })
  await agent.server.audit.settled()
  const entries = await listAudit(agent.server.store.read, agent.tenant, { limit: 100 })
  const imports = entries.filter(({ task }) => task === 'products.import')
  expect(imports.map(({ changes }) => changes)).toEqual([{ removed: ['1: p0', null] }])
})

it('formats and signals: imported, listed, exported, removed', async () => {
  const ticker = { id: 'ticker', type: 'dooh', name: 'Ticker', assets: [] }
  const assets = [{ item_type: 'individual', asset_id: 'line', asset_type: 'text', required: true }]
  const formats = () => actsCommand('formats', formatActs)
  const file = written('formats.json', JSON.stringify({ version: 1, formats: [{ ...ticker, assets }] }))
  expect(await json(formats(), 'import', file)).toMatchObject({ added: ['ticker'], changed: [], removed: [] })
  expect((await json(formats(), 'list')).items).toMatchObject([{ id: 'ticker' }])
  expect((await json(formats(), 'list', '--all')).items[0]).toEqual({ id: 'ticker', type: 'dooh', name: 'Ticker', own: true })
  expect(await run(formats(), 'list')).toMatch(/ticker +dooh +Ticker +1$/)
  expect(await run(formats(), 'list', '--all')).toMatch(/display_300x250 .* standard/)
  expect(await json(formats(), 'remove', 'ticker')).toEqual({ tenant: agent.tenant, removed: 'ticker' })
  expect(await json(actsCommand('signals', signalActs), 'list')).toEqual({ items: [], next_cursor: null })
})

it('a request of the admin API cannot pass for a file of this machine', async () => {
  const { token } = await createAdminKey(
    operatorBeside(agent, () => new Date()),
    {
      tenantId: agent.tenant,
      name: 'key',
      role: 'administrator',
    },
  )
  const call = adminClient(agent.url, token)
  const file = { file: { name: 'products.json', text: '{}' } }
  const { status, data } = await call('POST', '/products/import', { body: { file } })
  expect([status, data.detail]).toEqual([400, expect.stringContaining('a request sends its content as document or csv')])
  const unknown = await call('POST', '/products/import', { body: { files: 1 } })
  expect(unknown.data.detail).toBe('files is not known here; known: document, dry_run, replace, csv')
})
