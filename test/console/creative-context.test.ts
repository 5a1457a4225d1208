import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Assets } from '../../src/domain/creative/assets.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { banner, libraryCreative } from '../support/creative-agent.ts'
import { fetchFrom, pngOf } from '../support/creative-files.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

const FILES = new Map<string, Buffer | number>([
  ['https://cdn.example/right.png', pngOf(300, 250)],
  ['https://cdn.example/small.png', pngOf(150, 125)],
  ['https://cdn.example/page.png', Buffer.from('<html>')],
  ['https://shop.example/gone', 410],
  ['https://shop.example/', Buffer.from('<html>')],
])
const asked: string[] = []
/** Addresses, when each is asked and whenever what it answered is looked at. */
const steps: string[] = []
/** Addresses that are being asked, and how many were at once; while `held` is there, none answers. */
let open = 0
let mostOpen = 0
let held: Promise<void> | undefined

let agent: MediaBuyAgent
let ada: ConsoleClient
beforeAll(async () => {
  const fetchOf = fetchFrom(FILES)
  agent = await startMediaBuyAgent([productDocument('news')], {
    safeFetch: async (url, request) => {
      asked.push(url)
      steps.push(`asked ${url}`)
      mostOpen = Math.max(mostOpen, ++open)
      await held
      open--
      const { body, ...answer } = await fetchOf(url, request)
      return {
        ...answer,
        get body() {
          steps.push(`read ${url}`)
          return body
        },
      }
    },
  })
  ada = await signedIn(agent, 'ada', 'ad_operations', agent.tenant)
})
afterAll(() => agent?.stop())

const image = (url: string) => ({ asset_type: 'image', url, width: 300, height: 250 }) as const
const click = (url: string) => ({ asset_type: 'url', url, url_type: 'clickthrough' }) as const

async function examined(id: string, assets: Assets): Promise<string> {
  const buyer = await libraryCreative(agent, id, 'display_300x250', assets)
  const { status, text } = await ada.post(`/console/t/${agent.tenant}/creatives/${buyer}/-/${id}/examine`, {})
  expect(status).toBe(200)
  return text
}

it('files that are as the creative says, and a click that leads somewhere, give no finding', async () => {
  const text = await examined('right', { image: image('https://cdn.example/right.png'), click: click('https://shop.example/') })
  expect(text).toContain('Nothing was found.')
  expect(text).toContain('1 request for files and tags')
  expect(text).toContain('200, application/octet-stream, 6 bytes')
})

it.each<[string, Assets, string]>([
  [
    'a picture of another size',
    { image: image('https://cdn.example/small.png') },
    'it is 150 × 125, and the creative says 300 × 250',
  ],
  ['a page in place of a picture', { image: image('https://cdn.example/page.png') }, 'what answers is no image'],
  ['a host that is not there', { image: image('https://none.example/a.png') }, 'the host cannot be reached'],
  ['a click that leads nowhere', { click: click('https://shop.example/gone') }, 'its address answers with 410'],
  ['an address without TLS', { image: image('http://cdn.example/a.png') }, 'its address is not https'],
  ['no address for clicks', { image: image('https://cdn.example/right.png') }, 'no asset says where a click leads'],
  [
    'code that opens windows',
    { html: { asset_type: 'html', content: '<script>window.open("https://pop.example/")</script>' } },
    'it opens a window',
  ],
])('%s is found', async (what, assets, finding) => {
  expect(await examined(what.replaceAll(/\W/g, '-'), assets)).toContain(finding)
})

it('what answers is examined before more is asked, so that few files are held at once', async () => {
  const address = (n: number) => `https://cdn.example/right.png?n=${n}`
  for (const n of [1, 2, 3, 4, 5]) FILES.set(address(n), pngOf(300, 250))
  await examined('five', Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`image${n}`, image(address(n))])))
  expect(steps).toContain(`asked ${address(5)}`)
  expect(steps.lastIndexOf(`read ${address(1)}`)).toBeLessThan(steps.indexOf(`asked ${address(5)}`))
})

it('what only counts is not asked', async () => {
  const tracker = { asset_type: 'url', url: 'https://count.example/i', url_type: 'tracker_pixel' } as const
  const text = await examined('counted', { image: image('https://cdn.example/right.png'), tracker })
  expect(text).toContain('not asked: it would count')
  expect(asked).not.toContain('https://count.example/i')
})

it('the page of a creative names the orders that it runs in, with product, placements and flight', async () => {
  const { data } = await agent.create()
  const [{ package_id: packageId }] = data.packages
  const creatives = [banner(agent.url, 'shown')]
  const assignments = [{ creative_id: 'shown', package_id: packageId }]
  await agent.buyer.call('sync_creatives', { account: ACCOUNT, creatives, assignments, idempotency_key: 'shown-in-an-order' })
  const list = await ada.get(`/console/t/${agent.tenant}/creatives?status=approved`)
  const path = /href="([^"]+\/shown)"/.exec(list.text)?.[1] ?? ''
  const { text } = await ada.get(path)
  expect(text).toContain(`/orders/${data.media_buy_id}">`)
  expect(text).toContain('all of the package')
  const buyer = await libraryCreative(agent, 'idle', 'display_300x250', { image: image('https://cdn.example/right.png') })
  const other = await ada.get(`/console/t/${agent.tenant}/creatives/${buyer}/-/idle`)
  expect(other.text).toContain('It is in no order yet.')
})

it('two creatives are examined at once, some wait, and more are refused', async () => {
  let release = () => {}
  held = new Promise<void>((resolve) => {
    release = resolve
  })
  mostOpen = 0
  const buyer = await libraryCreative(agent, 'held', 'display_300x250', { image: image('https://cdn.example/right.png') })
  const path = `/console/t/${agent.tenant}/creatives/${buyer}/-/held/examine`
  const replies = Array.from({ length: 12 }, () => ada.post(path, {}))
  const first = await Promise.race(replies)
  expect(first.text).toContain('many creatives are being examined')
  release()
  held = undefined
  const statuses = (await Promise.all(replies)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(10)
  expect(mostOpen).toBe(2)
})
