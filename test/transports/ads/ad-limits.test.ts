import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AdPublisher, startAdPublisher } from '../../support/ad-publisher.ts'

let publisher: AdPublisher
beforeAll(async () => {
  publisher = await startAdPublisher({
    flags: {
      trustedProxies: ['127.0.0.1'],
      'ads.decisionsPerAddress': 2,
      'ads.eventsPerAddress': 1,
      'ads.windowSeconds': 3600,
    },
  })
})
afterAll(() => publisher.stop())

const get = (path: string, address?: string) =>
  publisher.get(`${publisher.origin}${path}`, address === undefined ? {} : { 'X-Forwarded-For': address })
const statuses = async (paths: readonly string[], address?: string) => {
  const found: number[] = []
  for (const path of paths) found.push((await get(path, address)).status)
  return found
}

const DECIDE = '/ads/demo/decide?place=news_home_billboard'
const VAST = '/ads/demo/vast?place=sports_preroll_q2'
const EVENT = '/ads/e/impression?t=x'

describe('one address', () => {
  it('gets as many decisions, of pages and players together, as it may; the refusal says how long to wait', async () => {
    expect(await statuses([DECIDE, VAST, DECIDE, VAST], '192.0.2.1')).toEqual([200, 200, 429, 429])
    const refused = await get(DECIDE, '192.0.2.1')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
    expect(await refused.json()).toMatchObject({ error: { code: 'RATE_LIMITED' } })
  })

  it('sends events within a limit of their own', async () => {
    expect(await statuses([EVENT, EVENT, '/ads/click?t=x', '/ads/frame?t=x'], '192.0.2.1')).toEqual([400, 429, 429, 429])
    expect(await statuses(['/ads/tag.js'], '192.0.2.1')).toEqual([200])
  })

  it('takes nothing from others, and is a /64 in IPv6', async () => {
    expect(await statuses([DECIDE], '192.0.2.2')).toEqual([200])
    expect(await statuses([DECIDE, DECIDE], '2001:db8::1')).toEqual([200, 200])
    expect(await statuses([DECIDE], '2001:db8::2')).toEqual([429])
    expect(await statuses([DECIDE], '2001:db8:0:1::1')).toEqual([200])
  })

  it('is not limited on loopback while developing', async () => {
    expect(await statuses([DECIDE, DECIDE, DECIDE])).toEqual([200, 200, 200])
  })
})
