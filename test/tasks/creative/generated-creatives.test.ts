import { afterAll, beforeAll, expect, it } from 'vitest'
import { startCreativeAgent } from '../../support/creative-agent.ts'
import type { MediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startCreativeAgent()
})
afterAll(() => agent.stop())

const brief = {
  asset_type: 'brief',
  name: 'Summer',
  messaging: { headline: 'Summer <Sale>', cta: 'Shop Now', key_messages: ['Free shipping'] },
  compliance: { required_disclosures: [{ text: 'Ends June 30.', position: 'footer' }] },
}
const creative = (id: string, more: object = {}) => ({
  creative_id: id,
  name: id,
  format_id: { agent_url: agent.url, id: 'display_300x250_generative' },
  assets: { brief },
  ...more,
})
const sync = async (creatives: object[], more: object = {}) =>
  (await agent.run('sync_creatives', { creatives, ...more })).data.creatives

it('a brief becomes an ad with a preview, which its buyer finalizes', async () => {
  const [row] = await sync([creative('gen')])
  expect(row).toMatchObject({ action: 'created', status: 'pending_review', expires_at: '2026-03-02T12:00:00.000Z' })
  const page = await (await fetch(row.preview_url)).text()
  expect(page).toContain('Ends June 30.')
  const { data } = await agent.buyer.call('list_creatives', { filters: { creative_ids: ['gen'] } })
  expect(data.creatives[0].assets.html.content).toContain('Summer &#60;Sale&#62;')
  expect((await sync([creative('gen')]))[0]).toMatchObject({ action: 'unchanged', status: 'pending_review' })
  expect((await sync([creative('gen', { status: 'approved' })]))[0]).toMatchObject({
    action: 'updated',
    status: 'approved',
    changes: ['status'],
  })
  const changed = { ...brief, messaging: { ...brief.messaging, headline: 'Winter' } }
  const [again] = await sync([creative('gen', { assets: { brief: changed } })])
  expect(again).toMatchObject({ action: 'updated', status: 'pending_review', changes: ['assets'] })
  expect(await (await fetch(again.preview_url)).text()).toContain('Winter')
})

it('a dry run shows no preview and keeps nothing', async () => {
  const [row] = await sync([creative('dry')], { dry_run: true })
  expect(row).toMatchObject({ action: 'created' })
  expect(row).not.toHaveProperty('preview_url')
  const { data } = await agent.buyer.call('list_creatives', { filters: { creative_ids: ['dry'] } })
  expect(data.creatives).toEqual([])
})

it('what a brief requires and the format cannot show stops this creative alone', async () => {
  const spoken = { ...brief, compliance: { required_disclosures: [{ text: 'x', position: 'audio' }] } }
  const [bad, good] = await sync([creative('bad', { assets: { brief: spoken } }), creative('good')], {
    validation_mode: 'lenient',
  })
  expect(bad).toMatchObject({
    action: 'failed',
    errors: [{ code: 'COMPLIANCE_UNSATISFIED', field: 'creatives[0].assets.brief.compliance.required_disclosures[0]' }],
  })
  expect(bad).not.toHaveProperty('preview_url')
  expect(good).toMatchObject({ action: 'created' })
})

it('an ad that comes along is not made again', async () => {
  const html = { asset_type: 'html', content: '<p>mine</p>' }
  const [row] = await sync([creative('own', { assets: { brief, html } })])
  expect(row).toMatchObject({ action: 'created', status: 'approved' })
  expect(row).not.toHaveProperty('preview_url')
})
