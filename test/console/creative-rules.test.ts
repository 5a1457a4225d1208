import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { setCreativeReview } from '../../src/operator/creatives/review-creatives.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { filledIn, formFields } from '../support/console-form.ts'
import { banner } from '../support/creative-agent.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { listAuditEntries, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let base: string
let person: ConsoleClient
let viewer: ConsoleClient

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  base = `/console/t/${agent.tenant}`
  person = await signedIn(agent, 'trafficker', 'ad_operations', agent.tenant)
  viewer = await signedIn(agent, 'viewer', 'viewer', agent.tenant)
  await person.get(`${base}/buyers/buyer`)
})
afterAll(() => agent.stop())

const operator = () => operatorOn(agent.server.store, agent.config)
/** Sends the form of the rule of the buyer, of an advertiser that has one, or of a new one. */
async function setRule(fields: Record<string, string>) {
  const { text } = await person.get(`${base}/buyers/buyer`)
  const own = `name="advertiser" value="${fields.advertiser?.toLowerCase()}"`
  const holds = fields.advertiser === undefined ? 'rule-of-buyer' : text.includes(own) ? own : 'rule-of-advertiser'
  const form = formFields(text.slice(text.lastIndexOf('<form', text.indexOf(holds))), '/creative-rules')
  return person.postAll(`${base}/buyers/buyer/creative-rules`, filledIn(form, fields))
}

/** What becomes of a new creative of the buyer, for brand.example. */
async function arrives(id: string, more: object = {}) {
  const { data, isError } = await agent.run('sync_creatives', { creatives: [banner(agent.url, id, more)] })
  expect(isError, JSON.stringify(data)).toBe(false)
  const [row] = data.creatives
  return [row.status, row.warnings?.join()]
}

describe('what becomes of the creatives of a buyer', () => {
  it('is what the publisher set for all, until the buyer or an advertiser has a rule', async () => {
    expect(await arrives('by-rules')).toEqual(['approved', undefined])
    expect((await setRule({ rule: 'review' })).location).toBe(`${base}/buyers/buyer?done=changed`)
    expect((await arrives('waits'))[0]).toBe('pending_review')
    await setRule({ rule: 'approve', advertiser: 'brand.example' })
    expect((await arrives('of-the-advertiser'))[0]).toBe('approved')
    await setRule({ rule: 'refuse', advertiser: 'Brand.example' })
    expect(await arrives('unwanted')).toEqual([
      'rejected',
      'rejected: the publisher takes no creatives of the advertiser brand.example',
    ])
    await setRule({ rule: 'default', advertiser: 'brand.example' })
    await setRule({ rule: 'refuse' })
    expect((await arrives('unwanted-too'))[1]).toContain('takes no creatives of this buyer')
    await setRule({ rule: 'default' })
    expect((await arrives('again-by-rules'))[0]).toBe('approved')
  })

  it('an approved buyer waits for nobody where a person reviews all others, and insecure files are refused in any case', async () => {
    await performAs(operator(), agent.tenant, setCreativeReview, { mode: 'manual' })
    await setRule({ rule: 'approve' })
    expect((await arrives('trusted'))[0]).toBe('approved')
    const image = { asset_type: 'image', url: 'http://cdn.example/x.png', width: 300, height: 250, format: 'png' }
    const assets = { image, click_url: { asset_type: 'url', url: 'https://brand.example/' } }
    expect((await arrives('insecure', { assets }))[0]).toBe('rejected')
    await setRule({ rule: 'default' })
    expect((await arrives('by-a-person'))[0]).toBe('pending_review')
    await performAs(operator(), agent.tenant, setCreativeReview, { mode: 'automatic' })
  })

  it('is on the page of the buyer: those who decide may change it, the others read it', async () => {
    await setRule({ rule: 'review', advertiser: 'brand.example' })
    const own = (await person.get(`${base}/buyers/buyer`)).text
    expect(own).toContain('Creatives of this buyer')
    expect(own).toContain('<option value="brand.example">')
    const read = (await viewer.get(`${base}/buyers/buyer`)).text
    expect(read).toMatch(/brand\.example<\/td><td>wait for a person/)
    expect(read).not.toContain('creative-rules"')
    await viewer.get('/console/account')
    expect((await viewer.post(`${base}/buyers/buyer/creative-rules`, { rule: 'approve' })).status).toBe(403)
  })

  it('a rule that is none, and an advertiser that is no domain, are refused with what is valid', async () => {
    const wrong = await setRule({ rule: 'maybe' })
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('one of approve, review, refuse, default')])
    expect((await setRule({ rule: 'approve', advertiser: 'no domain' })).status).toBe(400)
    expect((await person.post(`${base}/buyers/nobody/creative-rules`, { rule: 'approve' })).status).toBe(404)
  })

  it('is in the audit log with the name of the person', async () => {
    await setRule({ rule: 'approve', advertiser: 'shoes.example' })
    await agent.server.audit.settled()
    const [entry] = await listAuditEntries(operator(), agent.tenant, { task: 'creatives.rule', limit: 1 })
    expect(entry).toMatchObject({ principal: 'person:trafficker', subject: 'buyer', outcome: 'ok' })
    expect(entry?.changes).toEqual({ 'shoes.example': ['default', 'approve'] })
  })
})
