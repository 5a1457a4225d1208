import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listUnits } from '../../src/operator/ad-servers/inventory-acts.ts'
import { listPlacements, savePlacement, showPlacement } from '../../src/operator/placements/manage-placements.ts'
import { type AdPublisher, startAdPublisher } from '../support/ad-publisher.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { filledIn, formFields } from '../support/console-form.ts'
import { operatorBeside, performAs } from '../support/operator.ts'

const BILLBOARD = { place: 'news_home_billboard', sizes: ['970x250'] }

let publisher: AdPublisher
let ada: ConsoleClient
let base: string
beforeAll(async () => {
  publisher = await startAdPublisher()
  await publisher.sell('order-1', 'image')
  ada = await signedIn(publisher, 'ada', 'ad_operations', publisher.tenant)
  base = `/console/t/${publisher.tenant}/placements`
})
afterAll(() => publisher?.stop())

const operator = () => operatorBeside(publisher, publisher.clock)
const placement = (id: string) => performAs(operator(), publisher.tenant, showPlacement, { placement: id })

/** Whether the page gets an ad, once the ad server has looked at its lines again. */
async function shown(expected: boolean): Promise<void> {
  await expect
    .poll(async () => (await publisher.decide({ placements: [BILLBOARD] })).body.placements[0]?.ad !== null, { timeout: 20_000 })
    .toBe(expected)
}

describe('a placement', () => {
  it('that products name is listed before anything is set, with its tag and what runs there', async () => {
    const { text } = await ada.get(base)
    expect(text).toMatch(/news_home_billboard[\s\S]*?not set up[\s\S]*?Display 970x250/)
    const page = await ada.get(`${base}/news_home_billboard`)
    expect(page.text).toContain(
      '&lt;div data-ad=&quot;news_home_billboard&quot; data-kind=&quot;display&quot; data-sizes=&quot;970x250&quot;',
    )
    expect(page.text).toContain('products/news_homepage_display')
    expect(page.text).toContain('orders/order-1')
  })

  it('is paused by its form, and shows no ad until it is active again', async () => {
    await shown(true)
    const form = async () => formFields((await ada.get(`${base}/news_home_billboard/edit`)).text, 'news_home_billboard/edit')
    const answer = await ada.postAll(`${base}/news_home_billboard/edit`, filledIn(await form(), { status: 'paused' }))
    expect([answer.status, answer.text]).toEqual([303, expect.any(String)])
    await shown(false)
    await ada.postAll(`${base}/news_home_billboard/edit`, filledIn(await form(), { status: 'active', sizes: '728x90' }))
    expect(await placement('news_home_billboard')).toMatchObject({
      status: 'active',
      sizes: ['728x90'],
      name: 'Homepage billboard',
    })
    await shown(false)
    await ada.post(`${base}/news_home_billboard/remove`)
    await shown(true)
  })

  it('is added by a form with everything that it can have, and is inventory of the ad server', async () => {
    const { text } = await ada.get(`${base}/new`)
    const filled = filledIn(formFields(text, 'placements/new'), {
      ...{ placement: 'side rail', name: 'Side rail', kind: 'display', sizes: '300x250, 300x600', daily_capacity: '90 000' },
      ...{ available_from: '2026-03-01', available_until: '2026-12-31', 'targeting-countries': 'de at' },
      ...{ 'targeting-dayparts': 'monday-friday 6-22', 'targeting-frequency_cap': '3' },
    })
    const refused = await ada.postAll(`${base}/new`, filled)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('the id has a blank')])
    expect(refused.text).toContain('value="de at"')
    expect((await ada.postAll(`${base}/new`, filledIn(filled, { placement: 'side_rail' }))).status).toBe(303)
    expect(await placement('side_rail')).toMatchObject({
      ...{ is_set_up: true, kind: 'display', sizes: ['300x250', '300x600'], daily_capacity: 90_000, products: [] },
      ...{ available_from: '2026-03-01', available_until: '2026-12-31' },
      targeting: {
        countries: ['DE', 'AT'],
        dayparts: [{ days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'], start_hour: 6, end_hour: 22 }],
        frequency_cap: { max_impressions: 3, window: { interval: 1, unit: 'days' } },
      },
    })
    const { items } = await performAs(operator(), publisher.tenant, listUnits, { name: 'embedded' })
    expect(items.find(({ id }) => id === `${publisher.tenant}/side_rail`)).toMatchObject({
      name: 'Side rail',
      sizes: ['300x250', '300x600'],
    })
    const again = await ada.postAll(`${base}/new`, filledIn(filled, { placement: 'side_rail' }))
    expect([again.status, again.text]).toEqual([409, expect.stringContaining('There is a placement side_rail')])
    const elsewhere = { placement: 'side_rail', name: 'Other', only_new: true }
    await expect(performAs(operator(), publisher.tenant, savePlacement, elsewhere)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await placement('side_rail')).toMatchObject({ name: 'Side rail' })
  })

  it.each([
    [{ sizes: ['300by250'] }, 'sizes', '"300by250" is none'],
    [{ kind: 'video', sizes: ['300x250'] }, 'sizes', 'only a display placement has sizes'],
    [{ available_from: '2026-03-02', available_until: '2026-03-01' }, 'available_until', 'is before the first'],
    [{ targeting: { countries: ['Germany'] } }, 'targeting', 'targeting/countries/0'],
    [{ targeting: { continents: ['EU'] } }, 'targeting', 'targeting'],
  ])('refuses %j, naming the field', async (members, field, message) => {
    const all = { placement: 'wrong', name: 'Wrong', ...members }
    const done = performAs(operator(), publisher.tenant, savePlacement, all)
    await expect(done).rejects.toMatchObject({ code: 'INVALID_REQUEST', field, message: expect.stringContaining(message) })
  })

  it('is listed by pages, each once', async () => {
    const seen: string[] = []
    for (let cursor: string | undefined; ; ) {
      const { items, next_cursor: next } = await performAs(operator(), publisher.tenant, listPlacements, {
        limit: 2,
        ...(cursor !== undefined && { cursor }),
      })
      seen.push(...items.map(({ placement_id: id }) => id))
      if (next === null) break
      cursor = next
    }
    expect(seen.length).toBeGreaterThan(3)
    expect(seen).toEqual([...new Set(seen)].toSorted())
  })
})
