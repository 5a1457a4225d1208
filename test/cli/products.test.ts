import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readImportFile } from '../../src/cli/read-import-file.ts'
import { singleBackend } from '../../src/compose/choose-ad-servers.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { exportProducts, importProducts } from '../../src/operator/products/import-products.ts'
import { readProductFile } from '../../src/operator/products/product-file.ts'
import { describeUnserved, describeUnservedAfter } from '../../src/operator/products/unserved-products.ts'
import { writeProductFile } from '../../src/operator/products/write-product-file.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import type { Store } from '../../src/store/database.ts'
import { addTenant } from '../../src/store/identity/tenants.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { createMemoryAdServer } from '../support/memory-ad-server.ts'
import { acting } from '../support/operator.ts'
import { workbook } from '../support/workbook.ts'

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
  importProducts(acting(operator(), 'acme'), {
    tenantId: 'acme',
    file: await readImportFile(path),
    dryRun: false,
    merge: false,
    ...options,
  })
const edited = (name: string, change: (text: string) => string) => file(name, change(readFileSync(demoFile, 'utf8')))

describe('products import', () => {
  it('says which products the ad servers of the publisher cannot serve', async () => {
    await store.transaction((tx) => addTenant(tx, { tenantId: 'beta', name: 'Beta', domain: 'beta.example' }, new Date()))
    await importProducts(acting(operator(), 'beta'), {
      tenantId: 'beta',
      file: await readImportFile(demoFile),
      dryRun: false,
      merge: false,
    })
    const unservedBy = async (change: object) => {
      const { capabilities } = createMemoryAdServer().backend
      const { backend } = createMemoryAdServer({ capabilities: { ...capabilities, ...change } })
      return (await describeUnserved(operator(), 'beta', singleBackend({ backend, drift: 'leave' }, store))) ?? ''
    }
    const [few, most] = [await unservedBy({}), await unservedBy({ channels: ['dooh'] })]
    expect(most).toMatch(new RegExp(`^\\d+ of ${demoSize} products are not offered to production buyers \\(.+\\); \\w+: `))
    expect(Number.parseInt(most, 10)).toBeGreaterThan(Number.parseInt(few, 10))
  })

  it('says it in a dry run too, of the products that there would be, and stores none of them', async () => {
    await store.transaction((tx) => addTenant(tx, { tenantId: 'gamma', name: 'Gamma', domain: 'gamma.example' }, new Date()))
    const { capabilities } = createMemoryAdServer().backend
    const { backend } = createMemoryAdServer({ capabilities: { ...capabilities, channels: ['dooh'] } })
    const own = operator()
    const adServers = async () => singleBackend({ backend, drift: 'leave' }, store)
    const beside = { ...own, services: { ...own.services, adServers } }
    const input = { tenantId: 'gamma', file: await readImportFile(demoFile), merge: false }
    expect(await describeUnserved(beside, 'gamma')).toBeUndefined()
    expect(await describeUnservedAfter(beside, input)).toMatch(/ products are not offered to production buyers /)
    expect((await exportProducts(own, 'gamma')).products).toEqual([])
  })

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
    const read = await readProductFile(await readImportFile(path), { schemas })
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
  ])('says where %s goes wrong', async (name, text, place) => {
    const read = await readProductFile(await readImportFile(file(name, text)), { schemas })
    expect(read.ok ? [] : read.problems).toContainEqual(expect.objectContaining(place))
  })

  it('reads CSV as spreadsheets write it: byte order mark, CRLF, quotes, line breaks in cells', async () => {
    const text =
      '\uFEFFproduct_id,name,description,channels,delivery_type,format_ids,publisher_domain,daily_capacity,pricing_model,currency,price\r\n' +
      'a,"Name, with ""quotes""","two\r\nlines",display,guaranteed,display_300x250,a.example,1000,cpm,USD,10\r\n'
    const read = await readProductFile(await readImportFile(file('sheet.csv', text)), { schemas })
    expect(read.ok && read.file.products[0]).toMatchObject({ name: 'Name, with "quotes"', description: 'two\r\nlines' })
  })

  const HEADINGS =
    'product_id,name,description,channels,delivery_type,format_ids,publisher_domain,daily_capacity,pricing_model,currency,price'

  it.each([
    ['comma', ',', '"1,234.50"', '"200,000"'],
    ['semicolon', ';', '1.234,50', '200.000'],
    ['tab', '\t', '1234,50', '200 000'],
  ])('reads numbers as people write them, separated by %s', async (_name, delimiter, price, capacity) => {
    const cells = ['a', 'Name', 'Text', 'display', 'guaranteed', 'display_300x250', 'a.example', capacity, 'cpm', 'EUR', price]
    const text = `\uFEFF${HEADINGS.replaceAll(',', delimiter)}\r\n${cells.join(delimiter)}\r\n`
    const read = await readProductFile(await readImportFile(file('numbers.csv', text)), { schemas })
    expect(read.ok ? [] : read.problems).toEqual([])
    const [product] = read.ok ? read.file.products : []
    expect(product?.pricing_options).toMatchObject([{ fixed_price: 1234.5 }])
    expect(product?.selling.daily_capacity).toBe(200_000)
  })

  it('finds all problems of a table at once, in the order of its lines, with what was probably meant', async () => {
    const row = (id: string, type: string, format: string, price: string) =>
      `${id},N,T,display,${type},${format},a.example,1000,cpm,EUR,${price}`
    const lines = [
      HEADINGS.replace('publisher_domain', 'publisher_domian'),
      row('a', 'guaranteed', 'display_300x250', '"1,234"'),
      row('b', 'garanteed', 'display_300x250', '5'),
      row('c', 'guaranteed', 'display_300x205', '5'),
    ]
    const read = await readProductFile(await readImportFile(file('many.csv', lines.join('\n'))), { schemas })
    const problems = read.ok ? [] : read.problems
    const at = problems.map(({ line, column }) => `${line} ${column}`)
    for (const place of ['1 publisher_domian', '1 publisher_domain', '2 price', '3 delivery_type']) expect(at).toContain(place)
    expect(problems.map(({ line }) => line)).toEqual(problems.map(({ line }) => line ?? 0).sort((a, b) => a - b))
    expect(problems.find(({ column }) => column === 'publisher_domian')?.message).toContain('did you mean "publisher_domain"?')
    expect(problems.find(({ column }) => column === 'price')?.message).toContain(
      '1,234 can be read in two ways: write 1234 or 1.2340',
    )
  })

  it('finds the problems of products whose shape is right beside those of others', async () => {
    const lines = [
      HEADINGS,
      'a,N,T,display,garanteed,display_300x250,a.example,1000,cpm,EUR,5',
      'b,N,T,display,guaranteed,display_300x205,a.example,1000,cpm,EUR,5',
    ]
    const read = await readProductFile(await readImportFile(file('mixed.csv', lines.join('\n'))), { schemas })
    const found = read.ok ? [] : read.problems.map(({ line, column, productId }) => [line, column, productId])
    expect(found).toEqual([
      [2, 'delivery_type', 'a'],
      [3, 'format_ids', 'b'],
    ])
  })

  it('finds what the protocol has against a product whose selling part is wrong too, and knows the names of the protocol', async () => {
    const headings = HEADINGS.replace('daily_capacity,', '').replace(/price$/, 'fixed_price')
    const read = await readProductFile(
      await readImportFile(file('both.csv', `${headings}\na,N,T,display,garanteed,display_300x250,a.example,cpm,EUR,5\n`)),
      { schemas },
    )
    const problems = read.ok ? [] : read.problems
    expect(problems.map(({ line, column }) => `${line} ${column}`)).toEqual([
      '1 fixed_price',
      '1 daily_capacity',
      '2 delivery_type',
    ])
    expect(problems[0]?.message).toContain('did you mean "price"?')
  })

  it('says once what a table of prices alone lacks where products are replaced', async () => {
    const read = await readProductFile(await readImportFile(file('prices.csv', 'product_id,price\na,5\nb,6\n')), { schemas })
    const problems = read.ok ? [] : read.problems
    expect(problems.map(({ line }) => line)).toEqual(problems.map(() => 1))
    expect(problems.at(-1)?.message).toMatch(/^each row has to hold a whole product where the file replaces/)
  })

  it('reads the first sheet of a workbook, and says what is no workbook', async () => {
    const row = ['a', 'Näme', 'Text', 'display|olv', 'guaranteed', 'display_300x250', 'a.example', 200_000, 'cpm', 'EUR', 12.5]
    writeFileSync(join(folder, 'book.xlsx'), workbook([HEADINGS.split(','), row]))
    const read = await readProductFile(await readImportFile(join(folder, 'book.xlsx')), { schemas })
    expect(read.ok ? [] : read.problems).toEqual([])
    expect(read.ok && read.file.products[0]).toMatchObject({
      name: 'Näme',
      channels: ['display', 'olv'],
      pricing_options: [{ fixed_price: 12.5 }],
    })
    await expect(readImportFile(file('fake.xlsx', 'product_id\na\n'))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'file',
    })
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
