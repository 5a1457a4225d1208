import { createHash, randomUUID } from 'node:crypto'
import type { MeasuredAgent } from './agent.ts'
import { ACCOUNT, type Buyer, type HostileInput } from './hostile.ts'
import { callOf } from './stall.ts'

const fill = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index))

/** Requests that are as large as they may be: what they ask for is done, and others are served meanwhile. */
export function largeWork({ key, adminKey }: MeasuredAgent, { list_id }: Buyer): readonly HostileInput[] {
  const call = (title: string, task: string, args: () => object): HostileInput => ({
    title,
    ask: () => callOf(key, task, { idempotency_key: randomUUID(), ...args() }),
  })
  const search = (title: string, context: object) =>
    call(title, 'get_products', () => ({ buying_mode: 'brief', brief: 'video', context }))
  const posted = (title: string, path: string, body: object): HostileInput => ({
    title,
    ask: () => ({
      method: 'POST',
      path,
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  const imported = (title: string, csv: string) => posted(title, '/admin/v1/products/import', { csv, dry_run: true })
  return [
    call('sync_audiences: 200 × 100 members', 'sync_audiences', () => ({
      account: ACCOUNT,
      audiences: fill(200, (index) => ({
        audience_id: `large${index}`,
        name: `audience ${index}`,
        add: fill(100, (member) => ({ external_id: `p${member}`, hashed_email: hashOf(`${index} ${member} ${randomUUID()}`) })),
      })),
    })),
    call('validate_property_delivery: 9,900 records of sales agents', 'validate_property_delivery', () => ({
      list_id,
      include_compliant: true,
      records: fill(9_900, (index) => ({
        identifier: { type: 'domain', value: `site${index}.example` },
        impressions: index,
        record_id: `r${index}`,
        sales_agent_url: `https://agent${index % 50}.example/mcp`,
      })),
    })),
    call('sync_accounts: 1,000 rows', 'sync_accounts', () => ({
      accounts: fill(1_000, () => ({
        brand: { domain: `b${randomUUID()}.example` },
        operator: 'agency.example',
        billing: 'operator',
      })),
    })),
    call('create_content_standards: 740 long policies', 'create_content_standards', () => ({
      scope: { languages_any: ['en'] },
      policies: fill(740, (index) => ({
        policy_id: `p${index}`,
        enforcement: 'must',
        policy: `No ${fill(500, (word) => `w${word}x${index}`).join(', ')}`.slice(0, 4_999),
        policy_categories: ['brand_safety'],
      })),
    })),
    call('create_media_buy: 200 guaranteed packages of 84 dayparts over a year', 'create_media_buy', () => ({
      account: ACCOUNT,
      brand: ACCOUNT.brand,
      start_time: inDays(1),
      end_time: inDays(365),
      packages: fill(200, (index) => ({
        product_id: 'news_homepage_display',
        pricing_option_id: 'cpm_usd_fixed',
        budget: 2_500,
        targeting_overlay: { daypart_targets: fill(84, (at) => daypartOf(index, at)) },
      })),
    })),
    search('get_products: 4 MB of text in context', Object.fromEntries(fill(20, (at) => [`k${at}`, 'é word. '.repeat(20_000)]))),
    search('get_products: 89,100 texts in context that look like JSON', {
      lists: fill(9, () => fill(9_900, (index) => `{"a":1 ${index}}`)),
    }),
    posted('directory: 3,500 properties', '/directory/validate', {
      document: { authorized_agents: [], properties: fill(3_500, propertyOf) },
    }),
    imported(
      'import: 30,000 rows of new products',
      tableOf(30_000, () => '10.5'),
    ),
    imported(
      'import: 30,000 rows with prices that are none',
      tableOf(30_000, (row) => `price${row}`),
    ),
    imported(
      'import: 30,000 prices of one product',
      tableOf(
        30_000,
        () => '10.5',
        () => 'one',
      ),
    ),
    posted('import: 40,000 products without members', '/admin/v1/products/import', {
      document: { version: 1, products: fill(40_000, () => ({})) },
      dry_run: true,
    }),
    {
      title: 'direct order: 100 lines of 50 creatives',
      ask: () => ({
        method: 'PUT',
        path: '/admin/v1/direct-orders',
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ document: directOrder(`large-${randomUUID()}`) }),
      }),
    },
  ]
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** Every other hour of the week; the first daypart of each package has another one, so that its days differ. */
const daypartOf = (index: number, at: number) => {
  const start_hour = at === 0 ? index % 24 : (Math.floor(at / 7) * 2 + index) % 24
  return { days: [DAYS[at % 7]], start_hour, end_hour: start_hour + 1 }
}

/** As many lines and creatives as an order may have. */
function directOrder(order_id: string) {
  const image = { url: 'https://cdn.example/a.png' }
  const creatives = fill(50, (at) => ({
    creative_id: `c${at}`,
    width: 300,
    height: 250,
    image,
    click_url: 'https://brand.example/',
  }))
  const flight = { starts_at: '2027-03-01T00:00:00Z', ends_at: '2027-03-31T00:00:00Z' }
  const lines = fill(100, (at) => ({
    ...{ line_id: `line-${at}`, product_id: 'ros_display', priority: 'house', ...flight, cpm: 1 },
    creatives,
  }))
  return { order_id, name: 'As large as it may be', advertiser: 'brand.example', lines }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

const propertyOf = (index: number) => ({
  property_id: `p${index}`,
  property_type: 'website',
  name: `Site ${index}`,
  identifiers: [{ type: 'domain', value: `site${index}.example` }],
  publisher_domain: `site${index}.example`,
})

/** A sheet with every column that a new product needs; by default each row is a product. */
function tableOf(rows: number, price: (row: number) => string, product: (row: number) => string = (row) => `zz${row}`): string {
  const names =
    'product_id,name,description,channels,delivery_type,format_ids,publisher_domain,daily_capacity,pricing_model,currency,price,pricing_option_id'
  const cells = (row: number) =>
    `${product(row)},Name,Text,display,guaranteed,display_300x250,a.example,1000,cpm,USD,${price(row)},o${row}`
  return `${names}\n${fill(rows, cells).join('\n')}\n`
}
