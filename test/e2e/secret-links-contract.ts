import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { type Child, freePort, startChild } from '../../tools/agent/child.ts'
import { COMMAND, type CommandLine, type Served } from '../../tools/agent/command-line.ts'
import { CHROME } from '../support/ad-publisher.ts'
import { agentClient } from '../support/client.ts'
import { identityRequest, KEY, PROPERTY } from '../support/match-router.ts'
import { sha256 } from '../support/trusted-match-provider.ts'
import { type MakeDeployment, shiftRotation, storeOf } from './secret-rotation-contract.ts'

const PATIENCE = 900_000
const SOON = { timeout: 120_000, interval: 200 }
/** Sooner than a token counts no more for having been used. */
const IN_WINDOW = { timeout: 30_000, interval: 200 }
const EIGHT_DAYS_MS = 8 * 86_400_000
const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }

type Deployment = Awaited<ReturnType<MakeDeployment>>

/** What was made with the earlier secret: links that preview a creative, and exposure tokens of Trusted Match. */
export function secretLinksContract(make: MakeDeployment): void {
  it(
    'opens preview links and exposure tokens of before a rotation until the earlier secret is retired, and none of them after; a rotation waits for routers',
    async () => {
      const line = await make()
      const running: Child[] = []
      try {
        await line.json('init', '--demo')
        const server = await line.serve()
        const packageId = await bought(line, server)
        const router = await startRouter(line, server)
        running.push(router.child)
        const before = { preview: await previewToken(line), tmpx: [await router.token(), await router.token()] as const }
        expect(await isShown(server, before.preview)).toBe(true)

        const rotated = await line.json('secrets', 'rotate', '--wait', '120')
        const { processes } = await line.json('secrets', 'status')
        const pids = processes.map(({ pid }: { pid: number }) => pid)
        expect(pids).toEqual(expect.arrayContaining([server.pid, router.child.pid]))
        for (const { seals } of processes) expect(seals).toBe(rotated.secret)
        expect(await isShown(server, before.preview)).toBe(true)
        const after = { preview: await previewToken(line), tmpx: await router.token() }
        expect(await counts(line, server, packageId, before.tmpx[0])).toBe(true)

        await shiftRotation(line, -EIGHT_DAYS_MS)
        await line.json('secrets', 'retire')
        await vi.waitFor(async () => expect(await isShown(server, before.preview)).toBe(false), SOON)
        await vi.waitFor(async () => expect(await counts(line, server, packageId, before.tmpx[1])).toBe(false), IN_WINDOW)
        expect(await isShown(server, after.preview)).toBe(true)
        expect(await counts(line, server, packageId, after.tmpx)).toBe(true)
        await server.end()
      } finally {
        await Promise.all(running.map((child) => child.end('SIGKILL')))
        await line.close()
      }
    },
    PATIENCE,
  )
}

/** A running package of a production buyer with a frequency cap. Beside its creative another one waits for a person. */
async function bought(line: CommandLine, server: Served): Promise<string> {
  await line.json('buyers', 'add', 'buyer')
  const { token } = await line.json('keys', 'create', '--buyer', 'buyer')
  const buyer = agentClient(server.mcpUrl, token)
  // biome-ignore lint/suspicious/noExplicitAny: what an agent answers is read member by member
  const run = async (task: string, args: object): Promise<any> => {
    const { isError, data } = await buyer.call(task, { idempotency_key: randomUUID(), ...args })
    if (isError) throw new Error(JSON.stringify(data))
    return data
  }
  await run('sync_accounts', { accounts: [{ ...ACCOUNT, billing: 'operator' }] })
  const targeting_overlay = { frequency_cap: { max_impressions: 50, per: 'individuals', window: { interval: 1, unit: 'days' } } }
  const pkg = { product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 2000, targeting_overlay }
  const end_time = new Date(Date.now() + 20 * 86_400_000).toISOString()
  const order = { account: ACCOUNT, brand: ACCOUNT.brand, start_time: 'asap', end_time, packages: [pkg] }
  const { packages } = await run('create_media_buy', order)
  const { package_id } = packages[0]
  const sync = async (creative: object, assigned: object) => {
    const { creatives } = await run('sync_creatives', { account: ACCOUNT, creatives: [creative], ...assigned })
    expect(creatives[0].errors ?? []).toEqual([])
  }
  await sync(bannerOf(server, 'runs'), { assignments: [{ creative_id: 'runs', package_id }] })
  await line.json('creatives', 'review', 'manual')
  await sync(bannerOf(server, 'banner'), {})
  return package_id
}

/** A billboard whose image has the name of the creative. */
function bannerOf(server: Served, creative_id: string) {
  const click_url = { asset_type: 'url', url: 'https://shop.example/boots' }
  const image = { asset_type: 'image', url: `https://cdn.example/${creative_id}.png`, width: 970, height: 250, format: 'png' }
  const format_id = { agent_url: server.mcpUrl, id: 'display_970x250' }
  return { creative_id, name: 'Banner', format_id, assets: { image, click_url } }
}

async function previewToken(line: CommandLine): Promise<string> {
  const page = ['--page', 'https://publisher.example/article']
  const { url } = await line.json('creatives', 'preview-link', 'banner', '--buyer', 'buyer', ...page)
  return new URL(url).searchParams.get('adcp_preview') ?? ''
}

/** Whether a page with the link shows the creative. */
async function isShown({ origin }: Served, preview: string): Promise<boolean> {
  const query = new URLSearchParams({ place: 'news_home_billboard', sizes: '970x250', preview })
  const answer = await get(`${origin}/ads/demo/decide?${query}`)
  return (await answer.text()).includes('https://cdn.example/banner.png')
}

const get = (url: string) => fetch(url, { headers: { 'User-Agent': CHROME }, signal: AbortSignal.timeout(60_000) })

/** A router of the publisher with its key in the store, which asks the agent. */
async function startRouter(line: Deployment, server: Served) {
  const own = ['--endpoint', `${server.origin}/trusted-match/demo`, '--slots', 'primary', '--timeout', '5000']
  await line.json('trusted-match', 'keys', 'rotate')
  await line.json('trusted-match', 'providers', 'add', 'own', ...own, '--identity', '--countries', 'US', '--uid-types', 'uid2')
  const port = await freePort()
  const publisher = { id: 'demo', sellerAgentUrls: [server.mcpUrl], properties: [PROPERTY], keys: [{ sha256: sha256(KEY) }] }
  const file = join(line.folder, 'router.json')
  writeFileSync(
    file,
    JSON.stringify({ port, development: true, tenant: 'demo', deadlineMs: 5000, healthSeconds: 0, publishers: [publisher] }),
  )
  const origin = `http://127.0.0.1:${port}`
  const child = await startChild({
    command: [...COMMAND, 'trusted-match', 'router', '--file', file, '--data', line.data],
    ...(line.database !== undefined && { environment: { SALES_AGENT_DATABASE: line.database } }),
    readyUrl: `${origin}/healthz`,
  })
  return {
    child,
    /** An exposure token of a reader. */
    async token(): Promise<string> {
      return vi.waitFor(async () => {
        const asked = {
          request_id: randomUUID(),
          seller_agent_url: server.mcpUrl,
          identities: [{ user_token: `reader-${randomUUID()}`, uid_type: 'uid2' }],
          consent: { gdpr: false },
        }
        const answer = await fetch(`${origin}/identity`, {
          method: 'POST',
          headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
          body: JSON.stringify(identityRequest(asked)),
          signal: AbortSignal.timeout(60_000),
        })
        return JSON.parse(await answer.text()).tmpx_providers.own.chunks[0].value
      }, SOON)
    },
  }
}

/** Whether an impression with a token is counted. Every one is answered alike. */
async function counts(line: Deployment, server: Served, package_id: string, tmpx: string): Promise<boolean> {
  const imp_id = randomUUID()
  const query = new URLSearchParams({ package_id, seller: server.mcpUrl, tmpx, imp_id })
  expect((await get(`${server.origin}/trusted-match/demo/impression?${query}`)).status).toBe(200)
  const store = await storeOf(line)
  const rows = await store.read.selectFrom('match_exposures').selectAll().where('impression_id', '=', imp_id).execute()
  await store.close()
  return rows.length > 0
}
