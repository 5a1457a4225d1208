import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { diffProducts } from '../../../src/domain/product/diff-products.ts'
import { parseProductsFile } from '../../../src/domain/product/import-products.ts'
import { type ProductsFile, productOf } from '../../../src/domain/product/products-file.ts'
import { readCsvRows } from '../../../src/domain/product/read-csv.ts'
import { csvHeader, csvRecords } from '../../../src/domain/product/write-csv.ts'
import { productImport as context } from '../../support/shared-inputs.ts'

const demoFile = () => JSON.parse(readFileSync(new URL('../../../demo/products.json', import.meta.url), 'utf8'))

function demo(): ProductsFile {
  const result = parseProductsFile(demoFile(), context)
  if (!result.ok) throw new Error(JSON.stringify(result.problems, null, 1))
  return result.file
}

function problemsOf(change: (file: ReturnType<typeof demoFile>) => void) {
  const file = demoFile()
  change(file)
  const result = parseProductsFile(file, context)
  return result.ok ? [] : result.problems
}

describe('the demo products', () => {
  const file = demo()

  it('imports without a problem and every product is an official product', () => {
    expect(file.products.length).toBeGreaterThanOrEqual(40)
    for (const document of file.products)
      expect(context.validators.product(productOf(document, 'https://ads.harborline.example/mcp').offer)).toEqual([])
  })

  it('covers the channels, models, currencies and kinds of delivery', () => {
    const options = file.products.flatMap((p) => p.pricing_options)
    const all = <T>(values: readonly T[]) => [...new Set(values)].toSorted()
    expect(all(file.products.flatMap((p) => p.channels ?? []))).toEqual(
      ['ctv', 'display', 'dooh', 'linear_tv', 'olv', 'podcast', 'social', 'streaming_audio'].toSorted(),
    )
    expect(all(options.map((o) => o.pricing_model))).toEqual([
      'cpa',
      'cpc',
      'cpcv',
      'cpm',
      'cpp',
      'cpv',
      'flat_rate',
      'time',
      'vcpm',
    ])
    expect(all(options.map((o) => o.currency))).toEqual(['EUR', 'GBP', 'USD'])
    expect(all(file.products.map((p) => p.delivery_type))).toEqual(['guaranteed', 'non_guaranteed'])
    expect(options.some((o) => 'floor_price' in o)).toBe(true)
    expect(file.products.every((p) => (p.forecast?.points[0]?.metrics.impressions?.low ?? 0) > 0)).toBe(true)
  })
})

describe('parseProductsFile', () => {
  it.each([
    ['is_custom', true, 'must be left out: buyers are told it of products with selling.visibility "custom"; set that instead'],
    ['is_custom', 'yes', 'must be left out: buyers are told it of products with selling.visibility "custom"; set that instead'],
    ['brief_relevance', 'fits', 'must be left out: the answer to each brief says it'],
  ])('says what to do about %s: %j', (member, value, message) => {
    const problems = problemsOf((file) => {
      file.products[0][member] = value
    })
    expect(problems).toEqual([{ pointer: `/products/0/${member}`, productId: demo().products[0]?.product_id, message }])
  })

  it('judges a file of which every product is broken once, and not again for each that is left', () => {
    let judged = 0
    const counting = {
      ...context,
      validators: {
        ...context.validators,
        file: (value: unknown) => {
          judged += 1
          return context.validators.file(value)
        },
      },
    }
    const result = parseProductsFile({ version: 1, products: Array.from({ length: 1_000 }, () => ({})) }, counting)
    expect(result.ok).toBe(false)
    expect(judged).toBeLessThanOrEqual(2)
  })

  it('ends the search for problems after some hundred', () => {
    const problems = problemsOf((file) => {
      const [product] = file.products
      file.products = Array.from({ length: 5_000 }, (_, index) => ({ ...product, product_id: `p${index}`, channels: 1 }))
    })
    expect(problems.length).toBeGreaterThan(100)
    expect(problems.length).toBeLessThan(1_100)
  })

  it.each([
    ['reporting_capabilities', undefined],
    ['reporting_capabilities', null],
    ['reporting_capabilities', {}],
    ['reporting_capabilities', { available_metrics: 1 }],
    ['selling', null],
    ['selling', 1],
    ['placements', [null]],
    ['format_ids', {}],
    ['pricing_options', [null]],
  ])('names the product whose %s is %j', (name, value) => {
    const problems = problemsOf((file) => {
      file.products[0][name] = value
    })
    expect(problems[0]?.pointer).toMatch(new RegExp(`^/products/0/${name}`))
  })

  const firstPrice = '/products/0/pricing_options/0'

  it('takes file defaults into products that have no own value', () => {
    expect(demo().products[0]?.creative_policy).toBeDefined()
    expect('defaults' in demo()).toBe(false)
  })

  it.each([
    ['no object', () => [], ''],
    ['no products', () => ({ version: 1 }), '/products'],
    ['an unknown version', () => ({ version: 2, products: [] }), '/version'],
  ])('refuses a file that is %s', (_name, file, pointer) => {
    const result = parseProductsFile(file(), context)
    expect(result.ok ? [] : result.problems.map((p) => p.pointer)).toContain(pointer)
  })

  it.each<[string, (file: ReturnType<typeof demoFile>) => void, string]>([
    ['a missing name', (f) => delete f.products[0].name, '/products/0/name'],
    ['an unknown selling term', (f) => (f.products[0].selling.colour = 'red'), '/products/0/selling/colour'],
    ['no capacity', (f) => delete f.products[0].selling.daily_capacity, '/products/0/selling/daily_capacity'],
    ['a channel outside the enum', (f) => (f.products[0].channels = ['video']), '/products/0/channels/0'],
    ['a delivery type outside the enum', (f) => (f.products[0].delivery_type = 'maybe'), '/products/0/delivery_type'],
    ['an unknown format', (f) => (f.products[0].format_ids[0] = 'hologram'), '/products/0/format_ids/0'],
    ['a price of the wrong type', (f) => (f.products[0].pricing_options[0].floor_price = 'cheap'), `${firstPrice}/floor_price`],
    [
      'a pricing model that does not exist',
      (f) => (f.products[0].pricing_options[0].pricing_model = 'cpx'),
      `${firstPrice}/pricing_model`,
    ],
    ['a repeated product id', (f) => (f.products[1].product_id = f.products[0].product_id), '/products/1/product_id'],
    [
      'a repeated option id',
      (f) => (f.products[0].pricing_options[1].pricing_option_id = f.products[0].pricing_options[0].pricing_option_id),
      '/products/0/pricing_options/1/pricing_option_id',
    ],
    ['fixed and floor price at once', (f) => (f.products[0].pricing_options[0].fixed_price = 2), `${firstPrice}/floor_price`],
    [
      'a price finer than a millionth',
      (f) => (f.products[0].pricing_options[0].floor_price = 0.0000001),
      `${firstPrice}/floor_price`,
    ],
    [
      'a forecast upside down',
      (f) => (f.products[0].forecast.points[0].metrics.impressions.low = 1e12),
      '/products/0/forecast/points/0/metrics/impressions',
    ],
    [
      'a property that is not listed',
      (f) => (f.products[1].publisher_properties[0].property_ids = ['nowhere']),
      '/products/1/publisher_properties/0/property_ids/0',
    ],
    [
      'an exclusive product for everybody',
      (f) => (f.products[0].selling.exclusive_to = ['p1']),
      '/products/0/selling/visibility',
    ],
    [
      'days in the wrong order',
      (f) => Object.assign(f.products[0].selling, { available_from: '2026-02-01', available_until: '2026-01-01' }),
      '/products/0/selling/available_until',
    ],
    ['a plan on an unknown product', (f) => (f.plans[0].allocations[0].product_id = 'gone'), '/plans/0/allocations/0/product_id'],
    [
      'a plan on an unknown option',
      (f) => (f.plans[0].allocations[0].pricing_option_id = 'gone'),
      '/plans/0/allocations/0/pricing_option_id',
    ],
    ['a plan that does not sum to 100', (f) => (f.plans[0].allocations[0].allocation_percentage = 41), '/plans/0/allocations'],
    [
      'days of another time zone than reports to buyers have',
      (file) => {
        file.products[0].reporting_capabilities = {
          available_reporting_frequencies: ['daily'],
          expected_delay_minutes: 240,
          timezone: 'Europe/Berlin',
          supports_webhooks: false,
          available_metrics: ['impressions', 'spend'],
          date_range_support: 'date_range',
        }
      },
      '/products/0/reporting_capabilities/timezone',
    ],
  ])('refuses %s and names the place', (_name, change, pointer) => {
    expect(problemsOf(change).map((p) => p.pointer)).toContain(pointer)
  })

  it('reports one mistake in a price once, not once a pricing model', () => {
    expect(problemsOf((f) => (f.products[0].pricing_options[0].currency = 'usd'))).toHaveLength(1)
  })

  it('names the product of a problem', () => {
    expect(problemsOf((f) => (f.products[0].delivery_type = 'maybe'))[0]?.productId).toBe('ros_display')
  })
})

describe('the CSV form', () => {
  const rowsOf = (records: readonly (readonly string[])[]) =>
    records.map((record, index) => ({
      line: index + 2,
      cells: Object.fromEntries(csvHeader.map((name, i) => [name, record[i] ?? ''])),
    }))
  const minimal = {
    product_id: 'p',
    name: 'P',
    description: 'D',
    channels: 'display',
    delivery_type: 'guaranteed',
    format_ids: 'display_300x250|display_728x90',
    publisher_domain: 'a.example',
    daily_capacity: '1000',
    pricing_model: 'cpm',
    currency: 'USD',
    price: '10',
  }
  const filled = (cells: Partial<Record<string, string>>) => ({
    ...Object.fromEntries(csvHeader.map((name) => [name, ''])),
    ...cells,
  })
  const read = (...rows: Partial<Record<string, string>>[]) => {
    const csv = readCsvRows(rows.map((cells, index) => ({ line: index + 2, cells: filled(cells) as Record<string, string> })))
    const result = parseProductsFile(csv.file, context)
    return { csv, result, problems: [...csv.problems, ...(result.ok ? [] : result.problems.map(csv.locate))] }
  }

  it('gives back the demo products exactly', () => {
    const { products } = demo()
    const csv = readCsvRows(rowsOf(csvRecords(products)))
    expect(csv.problems).toEqual([])
    const result = parseProductsFile(csv.file, context)
    if (!result.ok) throw new Error(JSON.stringify(result.problems))
    expect(diffProducts(products, result.file.products)).toMatchObject({ added: [], removed: [], changed: [] })
  })

  it('reads one row as a product with one option and sensible defaults', () => {
    const { result, problems } = read(minimal)
    expect(problems).toEqual([])
    expect(result.ok && result.file.products[0]).toMatchObject({
      publisher_properties: [{ publisher_domain: 'a.example', selection_type: 'all' }],
      format_ids: ['display_300x250', 'display_728x90'],
      pricing_options: [{ pricing_option_id: 'cpm_usd_fixed', fixed_price: 10 }],
      selling: { daily_capacity: 1000 },
    })
  })

  it('joins rows of one product into several options', () => {
    const { result, problems } = read(minimal, {
      product_id: 'p',
      pricing_model: 'cpv',
      currency: 'EUR',
      floor: '0.01',
      view_threshold: '0.5',
    })
    expect(problems).toEqual([])
    expect(result.ok && result.file.products[0]?.pricing_options).toEqual([
      { pricing_option_id: 'cpm_usd_fixed', pricing_model: 'cpm', currency: 'USD', fixed_price: 10 },
      {
        pricing_option_id: 'cpv_eur_auction',
        pricing_model: 'cpv',
        currency: 'EUR',
        floor_price: 0.01,
        parameters: { view_threshold: 0.5 },
      },
    ])
  })

  it.each<[string, Partial<Record<string, string>>[], { line: number; column: string; message?: string }]>([
    ['a number that is none', [{ ...minimal, price: 'ten' }], { line: 2, column: 'price' }],
    ['a currency in lower case', [{ ...minimal, currency: 'usd' }], { line: 2, column: 'currency' }],
    ['an unknown format', [{ ...minimal, format_ids: 'hologram' }], { line: 2, column: 'format_ids' }],
    ['an empty required cell', [{ ...minimal, name: '' }], { line: 2, column: 'name' }],
    [
      'an option of the second row',
      [minimal, { product_id: 'p', pricing_model: 'cpv', currency: 'USD', price: '1' }],
      { line: 3, column: 'view_threshold' },
    ],
    [
      'a price by time without its unit',
      [{ ...minimal, pricing_model: 'time' }],
      { line: 2, column: 'time_unit', message: 'is required (time: hour, day, week or month)' },
    ],
    [
      'a price by rating points without its system',
      [{ ...minimal, pricing_model: 'cpp' }],
      { line: 2, column: 'demographic_system' },
    ],
    ['rows that contradict each other', [minimal, { ...minimal, name: 'Q', currency: 'EUR' }], { line: 3, column: 'name' }],
    ['broken JSON', [{ ...minimal, product_json: '{' }], { line: 2, column: 'product_json' }],
  ])('names row and column of %s', (_name, rows, place) => {
    expect(read(...rows).problems).toContainEqual(expect.objectContaining(place))
  })

  it('names unknown and absent columns', () => {
    const problems = readCsvRows([{ line: 2, cells: { product_id: 'p', colour: 'red' } }]).problems
    expect(problems).toContainEqual(expect.objectContaining({ line: 1, column: 'colour' }))
    expect(problems).toContainEqual(expect.objectContaining({ line: 1, column: 'pricing_model' }))
  })
})

describe('diffProducts', () => {
  it('tells added, removed, changed by field, and unchanged', () => {
    const { products } = demo()
    const [first, second, ...others] = products
    const changed = {
      ...second!,
      name: 'New name',
      pricing_options: second!.pricing_options.map((o, i) => (i === 0 ? { ...o, currency: 'EUR' } : o)),
    }
    const added = { ...first!, product_id: 'new' }
    const diff = diffProducts(products, [changed, ...others, added])
    expect(diff.added).toEqual(['new'])
    expect(diff.removed).toEqual([first!.product_id])
    expect(diff.unchanged).toHaveLength(others.length)
    expect(diff.changed).toEqual([
      {
        product_id: second!.product_id,
        fields: [
          { path: 'name', before: second!.name, after: 'New name' },
          { path: `pricing_options[${second!.pricing_options[0]!.pricing_option_id}].currency`, before: 'USD', after: 'EUR' },
        ],
      },
    ])
  })
})
