import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readImportFile } from '../../src/cli/read-import-file.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import type { ProductDocument } from '../../src/domain/product/products-file.ts'
import { exportProducts, importProducts } from '../../src/operator/products/import-products.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import type { Store } from '../../src/store/database.ts'
import { addTenant } from '../../src/store/identity/tenants.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { acting } from '../support/operator.ts'

const demoFile = fileURLToPath(new URL('../../demo/products.json', import.meta.url))
const contracts = loadContracts()
const folder = mkdtempSync(join(tmpdir(), 'sales-agent-partial-'))
let store: Store
let before: Map<string, ProductDocument>

const operator = () =>
  operatorOn(store, loadConfig(contracts.base.schemas, { environment: {}, flags: { data: folder } }), contracts)
const importTable = (text: string, options: { dryRun?: boolean; merge?: boolean } = {}) =>
  importProducts(acting(operator(), 'acme'), {
    tenantId: 'acme',
    file: { name: 'table.csv', text },
    dryRun: false,
    merge: true,
    ...options,
  })
const problemsOf = async (text: string, options: { merge?: boolean } = {}): Promise<string[]> => {
  const refused = await importTable(text, options).then(
    () => undefined,
    (error) => error,
  )
  return refused.issues.map(({ pointer, message }: { pointer: string; message: string }) => `${pointer}: ${message}`)
}
const products = async () => (await exportProducts(operator(), 'acme')).products
const product = async (id: string) => {
  const found = (await products()).find((each) => each.product_id === id)
  if (!found) throw new Error(`no product ${id}`)
  return found
}

beforeAll(async () => {
  store = await openSqlite(join(folder, 'store.sqlite'))
  await store.transaction((tx) => addTenant(tx, { tenantId: 'acme', name: 'Acme', domain: 'acme.example' }, new Date()))
})
beforeEach(async () => {
  await importProducts(acting(operator(), 'acme'), {
    tenantId: 'acme',
    file: await readImportFile(demoFile),
    dryRun: false,
    merge: false,
  })
  before = new Map((await products()).map((each) => [each.product_id, each]))
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

/** Products of the demo file by the number and kind of their prices. */
const withPrices = (fits: (options: ProductDocument['pricing_options']) => boolean): ProductDocument => {
  const found = [...before.values()].find(({ pricing_options: options }) => fits(options))
  if (!found) throw new Error('the demo file has no such product')
  return found
}
const isFixed = ({ fixed_price: price }: ProductDocument['pricing_options'][number]) => price !== undefined

test('a table of prices alone changes the prices, and nothing else of any product', async () => {
  const one = withPrices((options) => options.length === 1 && options.every(isFixed))
  const [option] = one.pricing_options
  const table = `product_id;price\r\n${one.product_id};1.234,50\r\n`
  const expected = {
    path: `pricing_options[${option?.pricing_option_id}].fixed_price`,
    before: option?.fixed_price,
    after: 1234.5,
  }
  const trial = await importTable(table, { dryRun: true })
  expect(trial).toMatchObject({ added: [], removed: [], changed: [{ product_id: one.product_id, fields: [expected] }] })
  expect(await products()).toEqual([...before.values()])
  expect(await importTable(table)).toEqual(trial)
  const after = [...before.values()].map((each) =>
    each === one ? { ...each, pricing_options: [{ ...option, fixed_price: 1234.5 }] } : each,
  )
  expect(await products()).toEqual(after)
})

test('other columns alone change their members, an empty cell takes a value away', async () => {
  const [one, other] = [...before.values()]
  if (!one || !other) throw new Error('no products')
  const table = `product_id,name,available_from,available_until\n${other.product_id},"New, name",2031-01-01,2031-02-01\n${one.product_id},${one.name},,\n`
  await importTable(table)
  const selling = { ...other.selling, available_from: '2031-01-01', available_until: '2031-02-01' }
  expect(await product(other.product_id)).toEqual({ ...other, name: 'New, name', selling })
  await importTable(`product_id,available_until\n${other.product_id},\n`)
  expect((await product(other.product_id)).selling).toEqual({ ...other.selling, available_from: '2031-01-01' })
  expect((await products()).map(({ product_id: id }) => id)).toEqual([...before.keys()])
})

test('a price is found by its id, else by model and currency, and is asked for where several fit', async () => {
  const several = withPrices((options) => options.length > 1 && options.every(isFixed))
  const id = several.product_id
  const [first, ...others] = several.pricing_options
  expect(await problemsOf(`product_id,price\n${id},7\n`)).toEqual([
    `line 2, column pricing_option_id: must say which price the row is about: ${several.pricing_options.map((option) => option.pricing_option_id).join(', ')}`,
  ])
  await importTable(`product_id,pricing_option_id,price\n${id},${first?.pricing_option_id},7\n`)
  expect((await product(id)).pricing_options).toEqual([{ ...first, fixed_price: 7 }, ...others])
  const [wrong] = await problemsOf(`product_id,pricing_option_id,price\n${id},${first?.pricing_option_id}x,7\n`)
  expect(wrong).toContain(`is no price of this product; did you mean "${first?.pricing_option_id}"?`)
})

test('a price in a currency that the product does not have is added beside the others', async () => {
  const one = withPrices((options) => options.length === 1 && options.every(isFixed))
  await importTable(`product_id,pricing_model,currency,price\n${one.product_id},cpm,SEK,90\n`)
  expect((await product(one.product_id)).pricing_options).toEqual([
    ...one.pricing_options,
    { pricing_option_id: 'cpm_sek_fixed', pricing_model: 'cpm', currency: 'SEK', fixed_price: 90 },
  ])
})

test('an empty price is refused where it would leave a price without an amount', async () => {
  const one = withPrices((options) => options.length === 1 && options.every(isFixed))
  const [option] = one.pricing_options
  const table = (price: string) => `product_id,currency,price\n${one.product_id},${option?.currency},${price}\n`
  const [problem] = await problemsOf(table(''))
  expect(problem).toMatch(/^line 2, column price: is empty, and the price is [\d.]+ now;/)
  expect(await importTable(`product_id,price\n${one.product_id},\n`)).toMatchObject({ changed: [] })
})

test('all problems are found at once: unknown products, wrong numbers, values that the protocol refuses', async () => {
  const [one, other, third] = [...before.values()].filter(({ pricing_options: options }) => options.length === 1)
  if (!one || !other || !third) throw new Error('no products')
  const lines = [
    'product_id,delivery_type,price',
    `${one.product_id},${one.delivery_type},many`,
    `${other.product_id},garanteed,5`,
    `${third.product_id}x,guaranteed,5`,
  ]
  const problems = await problemsOf(lines.join('\n'))
  expect(problems).toHaveLength(3)
  expect(problems[0]).toMatch(/^line 2, column price: "many" must be a number/)
  expect(problems[1]).toMatch(/^line 3, column delivery_type: /)
  expect(problems[2]).toMatch(
    new RegExp(
      `^line 4, column product_id: there is no product .*did you mean "${third.product_id}"\\? a new one also needs the columns name, description, channels, format_ids,`,
    ),
  )
  expect(await products()).toEqual([...before.values()])
})

test('a table of which no product exists says once what new products need', async () => {
  const problems = await problemsOf('product_id,price\nnew-a,5\nnew-b,6\n')
  expect(problems.filter((problem) => problem.includes('is a required column and absent'))).toHaveLength(9)
  expect(problems.at(-1)).toContain('no row names a product that exists')
})

test('a file that replaces the products has to hold them whole', async () => {
  const [one] = [...before.values()]
  const problems = await problemsOf(`product_id,price\n${one?.product_id},5\n`, { merge: false })
  expect(problems.at(-1)).toContain('each row has to hold a whole product')
})

test('a table with all required columns leaves what it has no column for', async () => {
  const one = [...before.values()].find(({ placements, selling }) => placements && selling.keywords?.length)
  const [option] = one?.pricing_options ?? []
  if (!one || !option) throw new Error('the demo file has no such product')
  const cells = {
    product_id: one.product_id,
    name: 'Another name',
    description: 'Another text',
    channels: (one.channels ?? []).join('|'),
    delivery_type: one.delivery_type,
    format_ids: one.format_ids.map(String).join('|'),
    publisher_domain: one.publisher_properties[0]?.publisher_domain ?? '',
    daily_capacity: String(one.selling.daily_capacity),
    pricing_option_id: option.pricing_option_id,
    pricing_model: option.pricing_model,
    currency: option.currency,
  }
  await importTable(`${Object.keys(cells).join(',')}\n${Object.values(cells).join(',')}\n`)
  expect(await product(one.product_id)).toEqual({ ...one, name: 'Another name', description: 'Another text' })
})

test('properties by tag take the place of properties by id', async () => {
  const byId = [...before.values()].find(({ publisher_properties: [selector] }) => selector?.selection_type === 'by_id')
  if (!byId) throw new Error('the demo file has no such product')
  await importTable(`product_id,property_tags\n${byId.product_id},news\n`)
  const [selector, ...others] = byId.publisher_properties
  expect((await product(byId.product_id)).publisher_properties).toEqual([
    { publisher_domain: selector?.publisher_domain, selection_type: 'by_tag', property_tags: ['news'] },
    ...others,
  ])
})
