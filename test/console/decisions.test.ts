import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { html, webAddress } from '../../src/console/html.ts'
import { setCreativeReview } from '../../src/operator/creatives/review-creatives.ts'
import { orderHistory } from '../../src/operator/orders/show-order.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { banner } from '../support/creative-agent.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { listAuditEntries, performAs } from '../support/operator.ts'

/** What a hostile buyer puts into every text that it can send. */
const HOSTILE = `"><script src="/console/x"></script><img src=x onerror=alert(1)>'`

let agent: MediaBuyAgent
let base: string
let trafficker: ConsoleClient
let colleague: ConsoleClient

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news'), productDocument('takeover', {}, { approval: 'manual' })])
  await performAs(operatorOn(agent.server.store, agent.config), agent.tenant, setCreativeReview, { mode: 'manual' })
  base = `/console/t/${agent.tenant}`
  trafficker = await signedIn(agent, 'trafficker', 'ad_operations', agent.tenant)
  colleague = await signedIn(agent, 'colleague', 'ad_operations', agent.tenant)
})
afterAll(() => agent.stop())

const order = async () => {
  const { data } = await agent.create({ packages: [{ product_id: 'takeover', pricing_option_id: 'cpm', budget: 500 }] })
  return String(data.task_id)
}
const taskOf = async (id: string) => (await agent.buyer.call('tasks/get', { task_id: id, include_result: true })).data

describe('decisions in the console', () => {
  it('an order that was rejected is in the list of what was decided, with what the buyer was told', async () => {
    const id = await order()
    await trafficker.post(`${base}/inbox/${id}/reject`, { reason: 'the homepage is taken that week' })
    const { text } = await trafficker.get(`${base}/decisions?state=rejected&buyer=buyer`)
    expect(text).toContain(`${base}/inbox/${id}">New order</a>`)
    expect(text).toContain('the homepage is taken that week')
    expect((await trafficker.get(`${base}/decisions?state=approved`)).text).not.toContain(id)
    expect((await trafficker.get(`${base}/inbox`)).text).toContain(`href="${base}/decisions"`)
  })

  it('an order is in the inbox, approved on conditions, booked, and paused', async () => {
    const id = await order()
    expect((await trafficker.get(`${base}/inbox`)).text).toContain(`${base}/inbox/${id}/approve`)
    expect((await trafficker.post(`${base}/inbox/${id}/approve`, { conditions: 'No autoplay\r\n\r\nLabelled' })).location).toBe(
      `${base}/inbox?done=approved`,
    )
    const task = await taskOf(id)
    expect(task.status).toBe('completed')
    expect(JSON.stringify(task)).toContain('No autoplay')

    const [, mediaBuyId] = /orders\/(mb_[\w-]+|[\w-]{8,})"/.exec((await trafficker.get(`${base}/orders`)).text) ?? []
    const pause = await trafficker.get(`${base}/orders/${mediaBuyId}/pause`)
    const revision = /name="revision" value="(\d+)"/.exec(pause.text)?.[1] ?? ''
    for (const lost of ['', 'x', '1.5']) {
      const refused = await trafficker.post(`${base}/orders/${mediaBuyId}/pause`, { revision: lost, reason: 'page is down' })
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('revision must be a whole number')])
    }
    expect((await trafficker.post(`${base}/orders/${mediaBuyId}/pause`, { revision, reason: 'page is down' })).location).toBe(
      `${base}/orders/${mediaBuyId}?done=paused`,
    )
    const late = await colleague.post(`${base}/orders/${mediaBuyId}/cancel`, { revision, reason: 'too late' })
    expect([late.status, late.text]).toEqual([409, expect.stringContaining('Somebody was faster')])
    const shown = await trafficker.get(`${base}/orders/${mediaBuyId}`)
    expect(shown.text).toContain('console:trafficker')
    await agent.server.audit.settled()
    const operator = operatorOn(agent.server.store, agent.config)
    const approved = (await performAs(operator, agent.tenant, orderHistory, { order: mediaBuyId ?? '' })).items.find(
      ({ action }) => action === 'approved',
    )
    expect(approved).toMatchObject({ actor: 'seller', person: 'console:trafficker' })
    const atBuyer = await agent.buyer.call('get_media_buys', {
      media_buy_ids: [mediaBuyId],
      include_history: 10,
      account: ACCOUNT,
    })
    expect(JSON.stringify(atBuyer.data)).toContain('Approved by the seller')
    expect(JSON.stringify(atBuyer.data)).not.toContain('trafficker')
    const activity = await trafficker.get(`${base}/activity?what=approvals.approve`)
    expect(activity.text).toContain(`approved <a href="${base}/inbox/${id}"><code>${id}</code></a>`)
    expect((await trafficker.get(`${base}/inbox/${id}`)).status).toBe(200)
    const [entry] = await listAuditEntries(operator, agent.tenant, { task: 'orders.pause', limit: 1 })
    expect(entry).toMatchObject({ principal: 'person:trafficker', subject: mediaBuyId, outcome: 'ok' })
  })

  it('a card says who asks for which advertiser, and what the flight has left', async () => {
    const id = await order()
    const { text } = await trafficker.get(`${base}/inbox/${id}`)
    expect(text).toMatch(/Advertiser<\/dt><dd>brand\.example/)
    expect(text).toMatch(/takeover[\s\S]{0,80}50,000<\/td><td class="number">10,000,000<\/td>[\s\S]{0,60}fits/)
    await trafficker.post(`${base}/inbox/${id}/reject`, { reason: 'only looked at' })
  })

  it('creatives are decided together; one that is gone is named, the others are decided', async () => {
    const banners = ['b-1', 'b-2', 'b-3'].map((id) => banner(agent.url, id))
    expect((await agent.run('sync_creatives', { creatives: banners })).isError).toBe(false)
    const page = await trafficker.get(`${base}/creatives`)
    expect(page.text).toContain('<img src="https://cdn.example/banner.png" alt=""')
    const keys = [...page.text.matchAll(/name="id" value="([^"]+:b-\d)"/g)].map(([, key = '']) => key)
    expect(keys).toHaveLength(3)
    const decide = (client: ConsoleClient, chosen: readonly string[], fields: Record<string, string>) =>
      client.postAll(`${base}/creatives/decide`, [
        ...chosen.map((key): [string, string] => ['id', key]),
        ...Object.entries(fields),
      ])
    expect((await decide(trafficker, keys.slice(0, 2), { decision: 'reject' })).status).toBe(400)
    expect((await decide(trafficker, [], { decision: 'approve' })).status).toBe(400)
    const tooMany = await decide(trafficker, [...Array(198).fill('creative:buyer::gone'), ...keys], { decision: 'approve' })
    expect([tooMany.status, tooMany.text]).toEqual([400, expect.stringContaining('a list of 1 to 200 approvals')])
    expect((await decide(trafficker, keys.slice(0, 2), { decision: 'approve' })).status).toBe(303)
    const late = await decide(colleague, ['creative:buyer::gone', ...keys.slice(2)], { decision: 'reject', reason: 'too loud' })
    expect([late.status, late.text]).toEqual([409, expect.stringMatching(/1 of 2 done[\s\S]*gone/)])
    expect((await trafficker.get(`${base}/creatives?status=rejected`)).text).toContain('too loud')
  })

  it('of two people who decide at once one wins, and the other is told', async () => {
    const id = await order()
    const replies = await Promise.all([
      trafficker.post(`${base}/inbox/${id}/approve`),
      colleague.post(`${base}/inbox/${id}/reject`, { reason: 'not this week' }),
    ])
    expect(replies.map(({ status }) => status).sort()).toEqual([303, 409])
    expect(replies.find(({ status }) => status === 409)?.text).toContain('Somebody was faster')
    const isApproved = replies[0]?.status === 303
    expect((await taskOf(id)).status).toBe(isApproved ? 'completed' : 'rejected')
  })

  it('a rejection needs a reason', async () => {
    const id = await order()
    expect((await trafficker.post(`${base}/inbox/${id}/reject`, { reason: '  ' })).status).toBe(400)
    expect((await trafficker.post(`${base}/inbox/${id}/reject`, { reason: 'brand safety' })).status).toBe(303)
    expect(JSON.stringify(await taskOf(id))).toContain('brand safety')
  })

  it('no text of a buyer becomes markup, and its creative runs without an origin', async () => {
    const creative = {
      creative_id: 'hostile',
      name: HOSTILE,
      format_id: { agent_url: agent.url, id: 'display_300x250' },
      assets: {
        image: {
          asset_type: 'image',
          url: 'https://cdn.example/banner.png',
          width: 300,
          height: 250,
          format: 'png',
          alt_text: HOSTILE,
        },
        click_url: { asset_type: 'url', url: 'https://brand.example/' },
      },
      tags: [HOSTILE],
    }
    const synced = await agent.run('sync_creatives', { creatives: [creative] })
    expect(synced.isError, JSON.stringify(synced.data)).toBe(false)
    await agent.create({ po_number: HOSTILE })
    const list = await trafficker.get(`${base}/creatives`)
    const [, path = ''] = new RegExp(`href="(${base}/creatives/buyer/[^"]+/hostile)"`).exec(list.text) ?? []
    for (const address of ['/inbox', '/creatives', '/orders', '/home', '/activity'].map((page) => base + page).concat(path)) {
      const { status, text } = await trafficker.get(address)
      expect(status, address).toBe(200)
      expect(text, address).not.toContain('<script src="/console/x"')
      expect(text, address).not.toContain('<img src=x')
    }
    const preview = await trafficker.get(`${path}/preview`)
    expect(preview.headers.get('content-security-policy')).toMatch(/frame-ancestors 'self'; sandbox$/)
    expect(preview.text).not.toContain('<script src="/console/x"')
  })
})

describe('templates', () => {
  it('escape every value, and leave out what is not there', () => {
    expect(html`<a title="${`"'<&>`}">${[1, undefined, false, html`<b>`]}</a>`.text).toBe(
      '<a title="&quot;&#39;&lt;&amp;&gt;">1<b></a>',
    )
  })

  it('have no attribute without quotes, no script and no style of their own', () => {
    const folder = new URL('../../src/console/', import.meta.url)
    const files = readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.ts'))
    for (const name of files) {
      const markup = readFileSync(new URL(name, folder), 'utf8').replaceAll(/^\s*(\*|\/\*\*|\/\/).*$/gm, '')
      expect(markup, name).not.toMatch(/<[a-z][^`]*\s[a-z-]+=\$\{/)
      expect(markup, name).not.toMatch(/\s(style|on[a-z]+)="/)
      expect(markup, name).not.toMatch(/<script>|<style/)
    }
  })

  it('link to no address but those of the web', () => {
    const addresses = ['https://a.example/', 'javascript:alert(1)', 'data:text/html,x', ' javascript:x', 'x', 7]
    expect(addresses.map(webAddress)).toEqual(['https://a.example/', ...Array(5).fill(undefined)])
  })
})
