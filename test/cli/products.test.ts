import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readImportFile } from '../../src/cli/import-commands.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { loadConfig } from '../../src/config/config.ts'
import { exportProducts, importProducts } from '../../src/operator/products/import-products.ts'
import { readProductFile, writeProductFile } from '../../src/operator/products/product-file.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import type { Store } from '../../src/store/database.ts'
import { addTenant } from '../../src/store/identity/principals.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'

const demoFile = fileURLToPath(new URL('../../demo/products.json', import.meta.url))
const demoSize: number = JSON.parse(readFileSync(demoFile, 'utf8')).products.length
const contracts = loadContracts()
const { schemas } = contracts.base
const folder = mkdtempSync(join(tmpdir(), 'sales-agent-products-'))
let store: Store
beforeAll(async () => {
  store = await openSqlite(join(folder, 'store.sqlite'))
  await store.transaction((tx) => addTenant(tx, { tenantId: 'acme', name: 'Acme', domain: 'acme.example' }, new Date()))
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const operator = () => operatorOn(store, loadConfig(schemas, { environment: {}, flags: { data: folder } }), contracts)
const importFile = async (path: string, options: { dryRun?: boolean; merge?: boolean } = {}) =>
  importProducts(operator(), { tenantId: 'acme', file: readImportFile(path), dryRun: false, merge: false, ...options })
const edited = (name: string, change: (text: string) => string) => file(name, change(readFileSync(demoFile, 'utf8')))

describe('products import', () => {
  it('changes nothing in a dry run, then imports, then finds nothing to do', async () => {
    expect((await importFile(demoFile, { dryRun: true })).added).toHaveLength(demoSize)
    expect((await exportProducts(operator(), 'acme')).products).toEqual([])
    expect((await importFile(demoFile)).added).toHaveLength(demoSize)
    expect(await importFile(demoFile)).toMatchObject({ added: [], changed: [], removed: [], unchanged: { length: demoSize } })
  })

  it('exports what it imported, in both forms', async () => {
    const before = await exportProducts(operator(), 'acme')
    for (const form of ['json', 'csv'] as const) {
      const diff = await importFile(file(`export.${form}`, writeProductFile(before, form)))
      expect(diff).toMatchObject({ added: [], changed: [], removed: [] })
    }
    expect(await exportProducts(operator(), 'acme')).toEqual(before)
  })

  it('names line and column of each problem and imports nothing', async () => {
    const path = edited('bad.json', (text) =>
      text
        .replace('"delivery_type": "non_guaranteed"', '"delivery_type": "maybe"')
        .replace('"currency": "EUR"', '"currency": "euro"'),
    )
    const before = await exportProducts(operator(), 'acme')
    const lines = readFileSync(path, 'utf8').split('\n')
    const lineOf = (text: string) => lines.findIndex((line) => line.includes(text)) + 1
    const read = readProductFile(readImportFile(path), schemas)
    expect(read.ok ? [] : read.problems.map(({ line, pointer }) => [line, pointer?.split('/').at(-1)])).toEqual([
      [lineOf('"maybe"'), 'delivery_type'],
      [lineOf('"euro"'), 'currency'],
    ])
    await expect(importFile(path)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining(`line ${lineOf('"euro"')}`),
    })
    expect(await exportProducts(operator(), 'acme')).toEqual(before)
  })

  it.each([
    ['broken.json', '{\n  "version": 1,\n  "products": [}\n', { line: 3 }],
    ['broken.csv', 'product_id,name\n"a,b\n', { line: 2 }],
    ['short.csv', 'product_id,name\na\n', { line: 2 }],
    ['wrong.csv', 'product_id,colour\na,red\n', { line: 1, column: 'colour' }],
  ])('says where %s goes wrong', (name, text, place) => {
    const read = readProductFile(readImportFile(file(name, text)), schemas)
    expect(read.ok ? [] : read.problems).toContainEqual(expect.objectContaining(place))
  })

  it('reads CSV as spreadsheets write it: byte order mark, CRLF, quotes, line breaks in cells', () => {
    const text =
      '\uFEFFproduct_id,name,description,channels,delivery_type,format_ids,publisher_domain,daily_capacity,pricing_model,currency,price\r\n' +
      'a,"Name, with ""quotes""","two\r\nlines",display,guaranteed,display_300x250,a.example,1000,cpm,USD,10\r\n'
    const read = readProductFile(readImportFile(file('sheet.csv', text)), schemas)
    expect(read.ok && read.file.products[0]).toMatchObject({ name: 'Name, with "quotes"', description: 'two\r\nlines' })
  })

  it('replaces the products, or merges on request', async () => {
    const one = edited('one.json', (text) =>
      JSON.stringify({ ...JSON.parse(text), products: [JSON.parse(text).products[0]], plans: [] }),
    )
    expect(await importFile(one, { merge: true, dryRun: true })).toMatchObject({ removed: [], unchanged: { length: demoSize } })
    expect((await importFile(one)).removed).toHaveLength(demoSize - 1)
    expect((await exportProducts(operator(), 'acme')).products).toHaveLength(1)
  })

  it('refuses what is no text or not there', async () => {
    writeFileSync(join(folder, 'latin.json'), Buffer.from([0x7b, 0xff, 0x7d]))
    await expect(importFile(join(folder, 'latin.json'))).rejects.toMatchObject({ message: expect.stringContaining('no UTF-8') })
    await expect(importFile(join(folder, 'absent.json'))).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'file' })
  })
})
