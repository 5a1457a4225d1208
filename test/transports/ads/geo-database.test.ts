import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openGeoDatabase } from '../../../src/platform/decode/geo-database.ts'
import { type AdPublisher, startAdPublisher } from '../../support/ad-publisher.ts'
import { geoFile } from '../../support/geo-file.ts'
import { startAgent } from '../../support/start-agent.ts'

const folder = mkdtempSync(join(tmpdir(), 'geo-database-'))
const path = join(folder, 'places.mmdb')
let publisher: AdPublisher
beforeAll(async () => {
  writeFileSync(
    path,
    geoFile({
      '198.51.100.0/24': { country: 'DE', region: 'BE' },
      '203.0.113.7/32': { country: 'US' },
    }),
  )
  publisher = await startAdPublisher({
    flags: { 'ads.geoDatabase': path, 'ads.countryHeader': 'x-country', trustedProxies: ['127.0.0.1'] },
  })
})
afterAll(async () => {
  await publisher?.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe('a database of places', () => {
  it('says where an address is', async () => {
    const { placeOf } = await openGeoDatabase(path, () => {})
    expect(placeOf('198.51.100.99')).toEqual({ country: 'DE', region: 'DE-BE' })
    expect(placeOf('203.0.113.7')).toEqual({ country: 'US' })
    for (const unknown of ['203.0.113.8', '2001:db8::1', 'nonsense', '']) expect(placeOf(unknown), unknown).toEqual({})
  })

  it('decides who is shown a line; what a proxy says goes before it', async () => {
    const placements = [{ place: 'news_home_billboard', sizes: ['970x250'] }]
    const from = async (address: string, headers: Record<string, string> = {}) =>
      (await publisher.decide({ placements }, { 'X-Forwarded-For': address, ...headers })).body.placements[0]?.ad?.kind
    const order = await publisher.sell('berlin', 'image', { targeting: { geo_regions: ['DE-BE'] } })
    await expect.poll(() => from('198.51.100.1'), { timeout: 60_000 }).toBe('image')
    expect(await from('203.0.113.7')).toBeUndefined()
    expect(await from('192.0.2.1')).toBeUndefined()
    expect(await from('198.51.100.1', { 'X-Country': 'FR' })).toBeUndefined()
    await publisher.backend.setOrderState(order, 'ended')
  })

  it('that cannot be read ends the start with its reason', async () => {
    writeFileSync(join(folder, 'other.mmdb'), 'nothing of the kind')
    const start = (file: string) => startAgent({ flags: { 'ads.geoDatabase': join(folder, file) } })
    await expect(start('other.mmdb')).rejects.toThrow(/ads\.geoDatabase.*MaxMind DB/)
    await expect(start('missing.mmdb')).rejects.toThrow(/ads\.geoDatabase.*ENOENT/)
  })
})
