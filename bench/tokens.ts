/**
 * Prints what answers cost an assistant, in tokens of o200k: a brief for outdoor media, list_creative_formats, orders and creatives of a buyer, tools/list of three callers.
 * Each row has the structured content, the text beside it, and the goal for both together. Exits 1 when a goal is missed.
 * Needs the built server (npm run build).
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { ACCOUNT, deploy, type Served } from '../tools/measure/deployment.ts'
import { Servers } from '../tools/measure/subject.ts'

/** A brief that fits many of the demo products: products named for the outdoors, and all video. */
const OUTDOOR_BRIEF = { buying_mode: 'brief', brief: 'Outdoor video' }
/** The revision that assistants speak since MCP 2025-06-18. */
const REVISION = '2025-11-25'

interface Row {
  readonly question: string
  readonly structured: number
  readonly text: number
  /** For both together; undefined: no goal. */
  readonly goal?: number
}

const tokensOf = (value: unknown): number =>
  value === undefined ? 0 : encode(typeof value === 'string' ? value : JSON.stringify(value)).length

interface Result {
  readonly tools?: readonly unknown[]
  readonly structuredContent?: unknown
  readonly content?: readonly { readonly text: string }[]
}

async function ask({ url }: Served, headers: Readonly<Record<string, string>>, method: string, params: object): Promise<Result> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result } = (await response.json()) as { result?: Result }
  if (!response.ok || result === undefined) throw new Error(`${method} was answered with ${response.status}`)
  return result
}

async function call(served: Served, question: string, name: string, args: object, goal?: number): Promise<Row> {
  const { structuredContent, content } = await ask(served, served.headers, 'tools/call', { name, arguments: args })
  const text = (content ?? []).reduce((sum, part) => sum + tokensOf(part.text), 0)
  return { question, structured: tokensOf(structuredContent), text, ...(goal !== undefined && { goal }) }
}

async function tools(
  { url, ...served }: Served,
  question: string,
  headers: Readonly<Record<string, string>>,
  goal: number,
  profile = '',
): Promise<Row> {
  const { tools: listed } = await ask({ ...served, url: url + profile }, headers, 'tools/list', {})
  return { question: `${question} (${listed?.length ?? 0} tools)`, structured: tokensOf(listed), text: 0, goal }
}

async function measure(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sales-agent-tokens-'))
  const servers = new Servers()
  try {
    const demo = await (await deploy({ data: join(folder, 'demo') })).serve(servers)
    const publisher = await (await deploy({ data: join(folder, 'publisher'), products: 'demo/products.json' })).serve(servers)
    return [
      await call(demo, 'get_products, a brief for outdoor media', 'get_products', OUTDOOR_BRIEF, 4_000),
      ...(await atReleases(demo)),
      await call(demo, 'get_products, wholesale', 'get_products', { buying_mode: 'wholesale' }),
      await call(demo, 'list_creative_formats', 'list_creative_formats', {}, 6_000),
      ...(await bought(demo)),
      await call(demo, 'get_adcp_capabilities', 'get_adcp_capabilities', {}),
      await tools(publisher, 'tools/list, a key of a publisher that sells media', publisher.headers, 10_000),
      await tools(demo, 'tools/list, no credentials', {}, 6_000),
      await tools(demo, 'tools/list, all that the demo publisher does', demo.headers, 30_000),
      await tools(demo, 'tools/list of /mcp/compact', demo.headers, 1_500, '/compact'),
    ]
  } finally {
    await servers.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The same brief of clients that name a release, and a refinement of the first proposal that answers it. */
async function atReleases(served: Served): Promise<Row[]> {
  const rows: Row[] = []
  for (const adcp_version of ['3.0', '3.1', '3.2']) {
    const asked = { ...OUTDOOR_BRIEF, adcp_version }
    rows.push(await call(served, `get_products, the same under ${adcp_version}`, 'get_products', asked, 5_000))
    const { structuredContent } = await ask(served, served.headers, 'tools/call', { name: 'get_products', arguments: asked })
    const { proposals = [] } = structuredContent as { proposals?: readonly { readonly proposal_id: string }[] }
    const refine = proposals.slice(0, 1).map(({ proposal_id }) => ({ scope: 'proposal', proposal_id, ask: 'more video' }))
    const question = `get_products, a refinement under ${adcp_version}`
    rows.push(await call(served, question, 'get_products', { buying_mode: 'refine', refine, adcp_version }, 6_000))
  }
  return rows
}

const ORDERS = 20

/** Rows of a buyer with some orders, each with a creative. */
async function bought(served: Served): Promise<Row[]> {
  const run = (name: string, args: object) =>
    ask(served, served.headers, 'tools/call', {
      name,
      arguments: { idempotency_key: randomUUID(), account: ACCOUNT, ...args },
    })
  await ask(served, served.headers, 'tools/call', {
    name: 'sync_accounts',
    arguments: { idempotency_key: randomUUID(), accounts: [{ ...ACCOUNT, billing: 'operator' }] },
  })
  const [start_time, end_time] = [2, 30].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  for (let index = 0; index < ORDERS; index++) {
    const assets = {
      image: { asset_type: 'image', url: 'https://cdn.example/banner.png', width: 300, height: 250, format: 'png' },
      click_url: { asset_type: 'url', url: 'https://brand.example/' },
    }
    const format_id = { agent_url: served.url, id: 'display_300x250' }
    const creatives = [{ creative_id: `banner-${index}`, name: `Banner ${index}`, format_id, assets }]
    await run('sync_creatives', { creatives })
    const creative_assignments = creatives.map(({ creative_id }) => ({ creative_id }))
    const terms = { pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }
    const packages = [{ product_id: 'ros_display', ...terms, creative_assignments }]
    const order = await run('create_media_buy', { brand: ACCOUNT.brand, start_time, end_time, packages })
    if (!JSON.stringify(order.structuredContent).includes('"media_buy_id"')) throw new Error(JSON.stringify(order))
  }
  const all = { status_filter: ['pending_creatives', 'pending_start', 'active'] }
  return [
    await call(served, `get_media_buys, ${ORDERS} of one package`, 'get_media_buys', all),
    await call(served, `list_creatives, ${ORDERS} banners`, 'list_creatives', {}),
  ]
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ question, structured, text, goal }) => {
    const verdict = goal === undefined ? '' : structured + text <= goal ? 'met' : 'MISSED'
    return `| ${question} | ${structured} | ${text} | ${structured + text} | ${goal ?? ''} | ${verdict} |`
  })
  return ['| question | structured | text | together | goal | |', '|---|---|---|---|---|---|', ...lines].join('\n')
}

const rows = await measure()
console.log(table(rows))
if (rows.some(({ structured, text, goal }) => goal !== undefined && structured + text > goal)) process.exitCode = 1
