import { afterAll, beforeAll, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
})
afterAll(() => agent.stop())

const pixel = (event: string, more: object = {}) => ({
  asset_type: 'pixel_tracker',
  event,
  method: 'img',
  url: `https://measure.example/${event}?cb={CACHEBUSTER}`,
  ...more,
})

test.each(LINES.filter((line) => line !== '3.0'))('trackers of events are taken and shown back under AdCP %s', async (line) => {
  const creative_id = `tracked-${line.replace('.', '-')}`
  const trackers = { impression_tracker: pixel('impression'), seen: pixel('viewable_mrc_50'), clicked: pixel('click') }
  const image = { asset_type: 'image', url: 'https://cdn.example/i.png', width: 300, height: 250 }
  const click_url = { asset_type: 'url', url: 'https://brand.example/' }
  const sync = async (assets: object) => {
    const creatives = [{ creative_id, name: 'Tracked', format_id: { agent_url: agent.url, id: 'display_300x250' }, assets }]
    return (await agent.ask(line, 'sync_creatives', { account: SUITE_ACCOUNT, creatives })).data
  }
  const read = async (release: string) => {
    const filters = { creative_ids: [creative_id] }
    const asked = { account: SUITE_ACCOUNT, filters, ext: { answer_text: 'summary' } }
    const { data, raw } = await agent.ask(release, 'list_creatives', asked)
    const text: string = raw.result.content[0].text
    // The text names assets as the data do.
    expect(text.includes('pixel_tracker'), text).toBe(release !== '3.0')
    expect(text.includes('tracker_pixel'), text).toBe(release === '3.0')
    return data.creatives[0].assets
  }
  const synced = await sync({ image, click_url, ...trackers })
  const [row] = synced.creatives
  expect(synced.ext?.ignored_members).toBeUndefined()
  expect(row.action, JSON.stringify(row)).toBe('created')
  expect(row.warnings).toBeUndefined()
  expect(await read(line)).toMatchObject(trackers)
  expect((await read('3.0')).clicked).toMatchObject({ asset_type: 'url', url_type: 'tracker_pixel' })

  const scripted = await sync({ image, scripted: pixel('impression', { method: 'js' }), custom: pixel('viewable_video_50') })
  expect(scripted.creatives[0].warnings.join('\n')).toMatch(/scripted is not called.*[\s\S]*custom is not called/)
  const custom = await sync({ image, custom: pixel('custom') })
  expect(custom.errors[0].field, JSON.stringify(custom)).toContain('custom')
})
