import { randomUUID } from 'node:crypto'
import type { MeasuredAgent } from './agent.ts'
import { ACCOUNT, type Buyer, type HostileInput } from './hostile.ts'
import { callOf, send } from './stall.ts'

const fill = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index))

/** Two signature headers that claim to be signed, beside a Content-Type of many escaped quotes. */
const SIGNED = {
  signature: 'sig1=:AAAA:',
  'signature-input':
    'sig1=("@method" "content-type");created=1;expires=2;nonce="AAAAAAAAAAAAAAAAAAAAAA";keyid="k";alg="ed25519";tag="t"',
}

/** Inputs whose findings, names or products of two lists cost more than what was sent. Prepares content standards of 200 and of 50 policies. */
export async function boundedWork(agent: MeasuredAgent, { list_id }: Buyer): Promise<readonly HostileInput[]> {
  const { key } = agent
  const standards_id = await standardsOf(agent, 200)
  const fewer = await standardsOf(agent, 50)
  const call = (title: string, task: string, args: () => object): HostileInput => ({
    title,
    ask: () => callOf(key, task, { idempotency_key: randomUUID(), ...args() }),
  })
  const pasted = (title: string, text: string): HostileInput => ({
    title,
    ask: () => ({ method: 'POST', path: '/directory/validate', headers: { 'content-type': 'application/json' }, body: text }),
  })
  const manifest = (content: string) => ({
    format_id: { agent_url: 'https://creative.adcontextprotocol.org/', id: 'display_300x250_html' },
    assets: { html: { asset_type: 'html', content }, click_url: { asset_type: 'url', url: 'https://brand.example/' } },
  })
  return [
    pasted(
      'directory: 90,000 numbers as properties',
      JSON.stringify({ document: { authorized_agents: [], properties: fill(90_000, () => 1) } }),
    ),
    call('sync_audiences: 6 × 8,000 empty members', 'sync_audiences', () => ({
      account: ACCOUNT,
      audiences: fill(6, (index) => ({ audience_id: `a${index}`, add: fill(8_000, () => ({})) })),
    })),
    call('log_event: 10,000 empty events', 'log_event', () => ({ event_source_id: 'site', events: fill(10_000, () => ({})) })),
    call('get_products: a member name of 3.9 MB', 'get_products', () => ({ ['\ufdfa'.repeat(1_300_000)]: 1 })),
    call('get_products: 45,000 keys in context', 'get_products', () => ({
      context: Object.fromEntries(fill(45_000, (index) => [`Kéy ${index}`, 1])),
    })),
    {
      title: 'signed: Content-Type with 7,000 escaped quotes',
      ask: () => ({
        ...callOf(key, 'get_products', {}),
        headers: { ...SIGNED, 'content-type': `application/json; a="${'\\"'.repeat(7_000)}` },
      }),
    },
    call('validate_content_delivery: 200 policies × 1,000 records', 'validate_content_delivery', () => ({
      standards_id,
      records: fill(1_000, recordOf),
    })),
    call(
      'validate_content_delivery: 50 policies × 400 records, nearly all that one call may ask for',
      'validate_content_delivery',
      () => ({
        standards_id: fewer,
        records: fill(400, recordOf),
      }),
    ),
    call('preview_creative: {CLICK_URL} in 187 kB, 50 inputs', 'preview_creative', () => ({
      request_type: 'single',
      creative_manifest: manifest('{CLICK_URL}'.repeat(17_000)),
      inputs: fill(50, (index) => ({
        name: `n${index}`,
        macros: { CLICK_URL: `https://click.example/${'x'.repeat(200)}${index}` },
      })),
    })),
    call('update_property_list: 10,000 long hosts', 'update_property_list', () => ({
      list_id,
      base_properties: [
        {
          selection_type: 'identifiers',
          identifiers: fill(10_000, (index) => ({ type: 'domain', value: `${'a.'.repeat(110)}h${index}.example` })),
        },
      ],
    })),
    call('sync_catalogs: 9,000 items', 'sync_catalogs', () => ({
      account: ACCOUNT,
      catalogs: [
        {
          catalog_id: randomUUID(),
          type: 'product',
          items: fill(9_000, (index) => ({ item_id: `i${index}`, title: `t ${index}` })),
        },
      ],
    })),
    call('sync_creatives: 9,000 assets', 'sync_creatives', () => ({
      account: ACCOUNT,
      creatives: [
        {
          creative_id: randomUUID(),
          name: 'n',
          format_id: manifest('').format_id,
          assets: {
            ...manifest('<b>Ad</b>').assets,
            // Each belongs to no slot of the format, which is a warning.
            ...Object.fromEntries(fill(9_000, (index) => [`a${index}`, { asset_type: 'text', content: 'x' }])),
          },
        },
      ],
    })),
  ]
}

const recordOf = (index: number) => ({
  record_id: `r${index}`,
  artifact: {
    property_rid: '01916f3a-9c4e-7000-8000-000000000010',
    artifact_id: `a${index}`,
    assets: [{ type: 'text', content: `plain text ${index} about gardens and boats` }],
  },
})

async function standardsOf({ port, key }: MeasuredAgent, count: number): Promise<string> {
  const policies = fill(count, (index) => ({
    policy_id: `p${index}`,
    enforcement: 'must',
    policy: `No ${fill(20, (word) => `word${index}x${word} thing${word}`).join(', ')}`,
    policy_categories: ['brand_safety'],
  }))
  const made = await send(
    port,
    callOf(key, 'create_content_standards', { idempotency_key: randomUUID(), scope: { languages_any: ['en'] }, policies }),
  )
  const standards_id = JSON.parse(made.body).result.structuredContent?.standards_id
  if (standards_id === undefined) throw new Error(made.body.slice(0, 500))
  return standards_id
}
