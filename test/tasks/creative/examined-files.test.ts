import { afterAll, beforeAll, expect, test } from 'vitest'
import { fileExaminer } from '../../../src/ad-serving/embedded/files/examine-files.ts'
import { FileUnavailable } from '../../../src/ad-serving/embedded/files/fetch-creative-file.ts'
import { FetchFailure } from '../../../src/platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../../src/platform/net/safe-fetch.ts'
import type { AgentClient } from '../../support/client.ts'
import { banner } from '../../support/creative-agent.ts'
import { type AtAddress, fetchFrom, pngOf } from '../../support/creative-files.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

const CDN = 'https://cdn.acme-boots.com'
const files = new Map<string, AtAddress>([
  [`${CDN}/good.png`, pngOf(300, 250)],
  [`${CDN}/tall.png`, pngOf(250, 300)],
  [`${CDN}/setup.png`, Buffer.from('MZ this program cannot be run in DOS mode')],
  [`${CDN}/really.jpg`, pngOf(300, 250)],
  [`${CDN}/missing.png`, 404],
  [`${CDN}/busy.png`, 503],
  [`${CDN}/large.png`, new FetchFailure('too_large', 'the answer is too large')],
  [`${CDN}/sound.mp4`, Buffer.from('ID3 this is a song')],
])
/** A host that takes calls and answers none of them until they are let go as too late. */
const SILENT = 'https://files.silent-host.com'
const held: (() => void)[] = []
let heldInAll = 0
const safeFetch: SafeFetch = async (url, request) => {
  if (!url.startsWith(SILENT)) return fetchFrom(files)(url, request)
  heldInAll += 1
  await new Promise<void>((letGo) => held.push(letGo))
  throw new FetchFailure('timeout', 'the fetch took too long')
}
let agent: MediaBuyAgent
let tester: AgentClient
beforeAll(async () => {
  agent = await startMediaBuyAgent(
    [
      productDocument('news', { format_ids: ['display_300x250'] }),
      productDocument('spots', { format_ids: ['video_30s'], channels: ['olv'] }),
    ],
    { safeFetch, flags: { 'ads.examineFiles': true } },
  )
  tester = await agent.buyerOn(ACCOUNT, { principal: 'tester', sandbox: true })
}, 120_000)
afterAll(() => agent?.stop())

const image = (id: string, file: string, format = 'png') => {
  const { assets, ...creative } = banner(agent.url, id)
  return { ...creative, assets: { ...assets, image: { ...assets.image, url: file, format } } }
}
const video = (id: string, file: string) => ({
  creative_id: id,
  name: id,
  format_id: { agent_url: agent.url, id: 'video_30s' },
  assets: {
    video: { asset_type: 'video', url: file, width: 1920, height: 1080, duration_ms: 30_000, container_format: 'mp4' },
    click_url: { asset_type: 'url', url: 'https://brand.example/' },
  },
})
const sync = async (creatives: readonly object[], client = agent.buyer) => {
  const { data, isError } = await agent.run('sync_creatives', { creatives }, client)
  expect(isError, JSON.stringify(data)).toBeFalsy()
  return data.creatives
}
async function stateOf(id: string, client = agent.buyer) {
  const { data } = await client.call('list_creatives', { filters: { creative_ids: [id] } })
  const owned = await agent.server.store.read.selectFrom('creatives').selectAll().where('creative_id', '=', id).execute()
  return { status: data.creatives[0]?.status, reason: owned[0]?.status_reason ?? '' }
}

test('a creative is approved once its files were seen, for production and sandbox buyers alike', async () => {
  for (const [id, client] of [
    ['good', agent.buyer],
    ['good-too', tester],
  ] as const) {
    const [row] = await sync([image(id, `${CDN}/good.png`)], client)
    expect(row).toMatchObject({ action: 'created', status: 'pending_review' })
    expect(row.warnings.join()).toContain('its files are fetched and checked before it is approved')
    await expect.poll(async () => (await stateOf(id, client)).status, { timeout: 20_000 }).toBe('approved')
  }
})

test('what is not seen waits for a person: a form that its bytes do not tell, and files beyond the first 20', async () => {
  const examine = fileExaminer(async () => pngOf(300, 250))
  const assets = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `image_${index}`,
        { asset_type: 'image' as const, url: `${CDN}/${index}.png`, width: 300, height: 250 },
      ]),
    )
  expect(await examine(assets(20), { buyer: 'one' })).toEqual({ kind: 'fit' })
  expect(await examine(assets(23), { buyer: 'one' })).toEqual({
    kind: 'person',
    reason: 'a person has to review it: 20 of its files are checked here, and 3 more are not',
  })
  const drawing = { asset_type: 'image' as const, url: `${CDN}/a.svg`, width: 300, height: 250, format: 'svg' }
  expect(await examine({ drawing }, { buyer: 'one' })).toEqual({
    kind: 'person',
    reason: `a person has to review it: whether the file ${CDN}/a.svg is svg is not told by its bytes here`,
  })
})

test('what is no such file is rejected with the reason', async () => {
  const wrong = [
    [image('setup', `${CDN}/setup.png`), /is of an unknown type, not a PNG/],
    [image('tall', `${CDN}/tall.png`), /has 250x300 pixels/],
    [image('really', `${CDN}/really.jpg`, 'jpg'), /is of type image\/png, and its asset says jpg/],
    [image('missing', `${CDN}/missing.png`), /its server answered 404/],
    [video('sound', `${CDN}/sound.mp4`), /is of an unknown type, not an MP4/],
  ] as const
  for (const { status } of await sync(wrong.map(([creative]) => creative))) expect(status).toBe('pending_review')
  for (const [{ creative_id: id }, reason] of wrong) {
    await expect.poll(async () => (await stateOf(id)).status, { timeout: 20_000 }).toBe('rejected')
    expect((await stateOf(id)).reason).toMatch(reason)
  }
})

test('what cannot be fetched for now is tried again, and rejected in the end; what is too large to look at waits for a person', async () => {
  await sync([image('busy', `${CDN}/busy.png`), image('nowhere', `${CDN}/nowhere.png`), image('large', `${CDN}/large.png`)])
  const reason = (id: string) => expect.poll(async () => (await stateOf(id)).reason, { timeout: 20_000 })
  await reason('busy').toContain(
    'attempt 1 of 5: the file https://cdn.acme-boots.com/busy.png of a creative could not be fetched',
  )
  await reason('nowhere').toContain('attempt 1 of 5: ')
  await reason('large').toContain('a person has to review it')
  files.set(`${CDN}/busy.png`, pngOf(300, 250))
  agent.setClock('2026-03-01T12:02:00Z')
  await expect.poll(async () => (await stateOf('busy')).status, { timeout: 20_000 }).toBe('approved')
  await reason('nowhere').toContain('attempt 2 of 5: ')
  for (const [attempt, at] of [
    [3, '2026-03-01T12:10:00Z'],
    [4, '2026-03-01T13:00:00Z'],
  ] as const) {
    agent.setClock(at)
    await reason('nowhere').toContain(`attempt ${attempt} of 5: `)
  }
  agent.setClock('2026-03-01T16:00:00Z')
  await expect.poll(async () => (await stateOf('nowhere')).status, { timeout: 20_000 }).toBe('rejected')
  expect((await stateOf('large')).status).toBe('pending_review')
}, 120_000)

test('a file at an IPv6 address is seen like any other', async () => {
  for (const [id, url] of [
    ['six', 'https://[::1]/a.png'],
    ['mapped', 'https://[::ffff:127.0.0.1]/a.png'],
  ] as const) {
    const [answer] = await sync([image(id, url)])
    expect(answer).toMatchObject({ status: expect.not.stringMatching('approved') })
  }
})

test('names for examples lead nowhere: refused in production, not fetched and said in a sandbox', async () => {
  const example = 'https://cdn.brand.example/a.png'
  const [refused] = await sync([image('example', example)])
  expect(refused).toMatchObject({ status: 'rejected' })
  expect(refused.warnings.join()).toContain('reserved for examples (RFC 2606)')
  const [taken] = await sync([image('example', example)], tester)
  expect(taken).toMatchObject({ status: 'approved' })
  expect(taken.warnings.join()).toContain(`${example} is not fetched`)
})

test('a host that does not answer holds up neither other buyers nor, once it was late, other creatives', async () => {
  const ids = Array.from({ length: 45 }, (_, index) => `silent-${index}`)
  await sync(ids.map((id) => image(id, `${SILENT}/${id}.png`)))
  await expect.poll(() => held.length, { timeout: 20_000 }).toBe(2)
  await sync([image('beside', `${CDN}/good.png`)], tester)
  await expect.poll(async () => (await stateOf('beside', tester)).status, { timeout: 20_000 }).toBe('approved')
  expect(held).toHaveLength(2)
  for (const letGo of held) letGo()
  const failed = async () => {
    const rows = await agent.server.store.read
      .selectFrom('creatives')
      .selectAll()
      .where('creative_id', 'like', 'silent-%')
      .execute()
    return rows.filter(({ status_reason }) => status_reason?.includes('attempt 1 of 5: the file')).length
  }
  await expect.poll(failed, { timeout: 30_000 }).toBe(45)
  expect(heldInAll).toBe(2)
  await sync([image('behind', `${CDN}/good.png`)])
  await expect.poll(async () => (await stateOf('behind')).status, { timeout: 60_000 }).toBe('approved')
}, 120_000)

test('all files of a creative have one deadline', async () => {
  const slow = fileExaminer(
    (url, _, signal) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () =>
          reject(new FileUnavailable(`${url} is late`, { cause: new FetchFailure('aborted', 'given up') })),
        ),
      ),
    { allFilesMs: 50 },
  )
  const assets = Object.fromEntries(
    ['a', 'b'].map((id) => [id, { asset_type: 'image' as const, url: `${CDN}/${id}.png`, width: 300, height: 250 }]),
  )
  expect(await slow(assets, { buyer: 'one' })).toMatchObject({ kind: 'later', reason: expect.stringContaining('/a.png is late') })
})
